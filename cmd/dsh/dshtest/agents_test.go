package dshtest_test

import (
	"testing"

	"github.com/dsh-hcl/dsh/cmd/dsh/dshtest"
)

func TestAgents(t *testing.T) { dshtest.Run(t, "agents/reviewer") }
