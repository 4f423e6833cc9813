package mention

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/dsh-hcl/dsh/engine/ref"
)

// Language is what the menu's own words are in.
type Language int

// The languages of the menu.
const (
	English Language = iota
	Chinese
)

// words are the headings, the names of kinds, and what stands for no folder.
func (l Language) words() (files, sessions, folder, file, session string) {
	if l == Chinese {
		return "文件与文件夹", "Session 对话", "文件夹", "文件", "Session"
	}
	return "Files & folders", "Session conversations", "Folder", "File", "Session"
}

// Kind is what a row stands for.
type Kind int

// The kinds of rows.
const (
	File Kind = iota
	Directory
	Session
)

// Row is one choice of the menu. Name and Description come from file names and titles:
// whoever shows them makes them safe.
type Row struct {
	Section, Name, Description string
	Kind                       Kind
	// Label is what is shown behind the @ of a file or session that was picked.
	Label string
	// Text is what a pick puts into the prompt: the path, or the canonical mention of
	// a session. That of a directory is typed on, at its next level.
	Text string
}

// Rows are the choices: files first, then sessions. What cannot be written as a
// mention is no choice (spec/references.md section 10.3).
func Rows(l Language, quoted bool, files []Found, sessions []ref.Candidate) (rows []Row) {
	headFiles, headSessions, folder, file, session := l.words()
	for _, f := range files {
		text, ok := Insertion(f.Path, f.Directory, quoted)
		if !ok {
			continue
		}
		name := f.Path[strings.LastIndexByte(f.Path, '/')+1:]
		row := Row{Section: headFiles, Name: file + " · " + name, Description: f.Path, Kind: File, Label: name, Text: text}
		if f.Directory {
			row.Name, row.Kind, row.Label = folder+" · "+name+"/", Directory, ""
		}
		rows = append(rows, row)
	}
	for _, s := range sessions {
		text, err := ref.Reference{SessionID: s.SessionID, Label: s.Label}.Mention()
		if err != nil {
			continue
		}
		description := s.Cwd.Or("(no cwd)") + " · " + isoTime(s.CreatedAt)
		if s.Label != s.SessionID {
			description = s.SessionID + " · " + description
		}
		rows = append(rows, Row{Section: headSessions, Name: session + " · " + s.Label, Description: description, Kind: Session, Label: s.Label, Text: text})
	}
	return rows
}

// isoTime is a moment as JavaScript writes it: UTC with milliseconds, and years of
// more than four digits with a sign and six.
func isoTime(unixMilli int64) string {
	t := time.UnixMilli(unixMilli).UTC()
	if y := t.Year(); y < 0 || y > 9999 {
		return fmt.Sprintf("%+07d", y) + t.Format("-01-02T15:04:05.000Z")
	}
	return t.Format("2006-01-02T15:04:05.000Z")
}

// Lookups are where the choices come from; either may be nil.
type Lookups struct {
	Files    func(ctx context.Context, query string) ([]Found, error)
	Sessions func(ctx context.Context, query string) ([]ref.Candidate, error)
}

// Answer is what lookups found so far, and which of them have ended.
type Answer struct {
	Files                     []Found
	Sessions                  []ref.Candidate
	FilesKnown, SessionsKnown bool
}

// Ask starts the lookups for a token at once and returns when they have ended. show is
// told what is there whenever one of them ends, from goroutines of Ask but never by
// two at once, and not any more when the context has ended. An open quote asks for
// files only. A lookup that fails has found nothing (spec/references.md section 10.3).
func (l Lookups) Ask(ctx context.Context, t Token, show func(Answer)) {
	answer := Answer{FilesKnown: l.Files == nil, SessionsKnown: l.Sessions == nil || t.Quoted}
	var mu sync.Mutex
	var all sync.WaitGroup
	came := func(add func()) {
		mu.Lock()
		defer mu.Unlock()
		add()
		if ctx.Err() == nil {
			show(answer)
		}
	}
	files, sessions := !answer.FilesKnown, !answer.SessionsKnown
	if files {
		all.Go(func() {
			found, err := l.Files(ctx, t.Query)
			came(func() {
				if answer.FilesKnown = true; err == nil {
					answer.Files = found
				}
			})
		})
	}
	if sessions {
		all.Go(func() {
			found, err := l.Sessions(ctx, t.Query)
			came(func() {
				if answer.SessionsKnown = true; err == nil {
					answer.Sessions = found
				}
			})
		})
	}
	all.Wait()
}

// Narrow keeps of an answer to an earlier token what fits the present one, too, so
// that a menu shows no choice that does not fit until the next answer is there.
func (a Answer) Narrow(earlier, now Token) Answer {
	out := Answer{Files: Narrow(a.Files, earlier.Query, now.Query)}
	wanted := ref.Lower(now.Query)
	for _, s := range a.Sessions {
		if !now.Quoted && (strings.Contains(ref.Lower(s.SessionID), wanted) || strings.Contains(ref.Lower(s.Cwd.Or("")), wanted) || strings.Contains(ref.Lower(s.Label), wanted)) {
			out.Sessions = append(out.Sessions, s)
		}
	}
	return out
}
