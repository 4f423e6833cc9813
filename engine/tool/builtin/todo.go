package builtin

import (
	"context"
	"fmt"
	"strings"

	"github.com/dsh-hcl/dsh/engine/canon"
	"github.com/dsh-hcl/dsh/engine/tool"
)

// todo keeps nothing: the list is in the call and in its result, so the log and the
// history have it, and a resumed session as well.
func todo() tool.Tool {
	return tool.Tool{
		Schema: schema("todo", "Writes down the list of what is to be done, whole, in place of the last one. Of use for work of several steps.",
			`{"todos":{"type":"array","maxItems":100,"items":{"type":"object","properties":{"content":{"type":"string","minLength":1,"maxLength":500},"status":{"enum":["pending","in_progress","completed"]}},"required":["content","status"],"additionalProperties":false}}}`, `"todos"`),
		Run: func(_ context.Context, args canon.Value) tool.Outcome {
			var b strings.Builder
			total, done := 0, 0
			for e := range args.Get("todos").Elements() {
				mark := map[string]string{"pending": " ", "in_progress": ">", "completed": "x"}[text(e, "status")]
				fmt.Fprintf(&b, "\n[%s] %s", mark, strings.Join(strings.Fields(text(e, "content")), " "))
				if total++; mark == "x" {
					done++
				}
			}
			return tool.Text(fmt.Sprintf("%d of %d done", done, total) + b.String())
		},
	}
}
