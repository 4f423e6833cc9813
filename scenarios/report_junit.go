package scenarios

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"
)

// JUnitReport keeps what became of a suite and writes it as JUnit XML.
type JUnitReport struct {
	Silent
	Name  string // of the suite
	suite junitSuite
}

type junitSuites struct {
	XMLName  xml.Name `xml:"testsuites"`
	Tests    int      `xml:"tests,attr"`
	Failures int      `xml:"failures,attr"`
	Skipped  int      `xml:"skipped,attr"`
	Time     string   `xml:"time,attr"` // seconds
	Suites   []junitSuite
}

type junitSuite struct {
	XMLName   xml.Name `xml:"testsuite"`
	Name      string   `xml:"name,attr"`
	Tests     int      `xml:"tests,attr"`
	Failures  int      `xml:"failures,attr"`
	Errors    int      `xml:"errors,attr"`
	Skipped   int      `xml:"skipped,attr"`
	Time      string   `xml:"time,attr"`
	Timestamp string   `xml:"timestamp,attr"` // when the suite ended
	Cases     []junitCase
}

type junitCase struct {
	XMLName   xml.Name `xml:"testcase"`
	Classname string   `xml:"classname,attr"`
	Name      string   `xml:"name,attr"`
	Time      string   `xml:"time,attr"`
	Failure   *junitFailure
	Skipped   *junitSkipped
}

type junitFailure struct {
	XMLName xml.Name `xml:"failure"`
	Message string   `xml:"message,attr"`
	Log     string   `xml:",chardata"`
}

type junitSkipped struct {
	XMLName xml.Name `xml:"skipped"`
	Message string   `xml:"message,attr"`
}

// End implements Reporter.
func (j *JUnitReport) End(o Outcome) {
	c := junitCase{Classname: j.Name, Name: o.Name, Time: inSeconds(o.Took)}
	if o.Name == "" {
		c.Name = "scenarios"
	}
	switch o.State {
	case Failed:
		c.Failure = &junitFailure{Message: o.summary(), Log: o.Log}
	case Skipped:
		c.Skipped = &junitSkipped{Message: firstLine(o.Log)}
	}
	j.suite.Cases = append(j.suite.Cases, c)
}

// Done implements Reporter.
func (j *JUnitReport) Done(r Result, at time.Time) {
	j.suite.Name, j.suite.Time, j.suite.Timestamp = j.Name, inSeconds(r.Took), at.UTC().Format("2006-01-02T15:04:05")
	j.suite.Tests, j.suite.Failures, j.suite.Skipped = r.Passed+r.Failed+r.Skipped, r.Failed, r.Skipped
}

// Write writes the report of a suite that is done. What XML 1.0 cannot hold becomes
// U+FFFD.
func (j *JUnitReport) Write(w io.Writer) error {
	s := j.suite
	b, err := xml.MarshalIndent(junitSuites{Tests: s.Tests, Failures: s.Failures, Skipped: s.Skipped, Time: s.Time, Suites: []junitSuite{s}}, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, b)
	return err
}

func inSeconds(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }

// summary is a failure in a few words: what was promised, and why it does not hold.
func (o Outcome) summary() string {
	switch {
	case o.Broken == nil:
		return firstLine(o.Log)
	case o.Broken.Promise == "":
		return o.Broken.Message
	}
	return o.Broken.Promise + "\n" + o.Broken.Message
}

// firstLine is the first line of a text that says something.
func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimLeft(s, "\n"), "\n")
	return line
}
