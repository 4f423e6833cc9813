package hclfile

import (
	"strings"
	"testing"
)

func TestGitFacts(t *testing.T) {
	sha := strings.Repeat("0123456789", 4)
	other := strings.Repeat("f", 40)
	cases := []struct {
		name  string
		files map[string]string
		want  gitFacts
	}{
		{"no repository", nil, gitFacts{}},
		{"branch", map[string]string{".git/HEAD": "ref: refs/heads/fix/one\n", ".git/refs/heads/fix/one": sha + "\n"}, gitFacts{"fix/one", sha}},
		{"no commit yet", map[string]string{".git/HEAD": "ref: refs/heads/main\n"}, gitFacts{branch: "main"}},
		{"detached", map[string]string{".git/HEAD": sha + "\n"}, gitFacts{commit: sha}},
		{"packed", map[string]string{
			".git/HEAD": "ref: refs/heads/main\n", ".git/packed-refs": "# pack-refs with: peeled\n" + other + " refs/heads/main2\n" + sha + " refs/heads/main\n^" + other + "\n",
		}, gitFacts{"main", sha}},
		{"loose before packed", map[string]string{
			".git/HEAD": "ref: refs/heads/main\n", ".git/refs/heads/main": sha, ".git/packed-refs": other + " refs/heads/main\n",
		}, gitFacts{"main", sha}},
		{"worktree", map[string]string{
			".git": "gitdir: /main/.git/worktrees/w\n", "/main/.git/worktrees/w/HEAD": "ref: refs/heads/topic\n",
			"/main/.git/worktrees/w/commondir": "../..\n", "/main/.git/refs/heads/topic": sha,
		}, gitFacts{"topic", sha}},
		{"worktree out of reach", map[string]string{".git": "gitdir: ../elsewhere/.git/worktrees/w\n"}, gitFacts{}},
		{"submodule", map[string]string{".git": "gitdir: modules/x\n", "modules/x/HEAD": "ref: refs/heads/main\n", "modules/x/refs/heads/main": sha}, gitFacts{"main", sha}},
		{"reftable", map[string]string{".git/HEAD": "ref: refs/heads/.invalid\n"}, gitFacts{}},
		{"leads out", map[string]string{".git/HEAD": "ref: ../../etc/passwd\n"}, gitFacts{}},
		{"rubbish", map[string]string{".git/HEAD": "\xff\xfe"}, gitFacts{}},
		{"tag", map[string]string{".git/HEAD": "ref: refs/tags/v1\n", ".git/refs/tags/v1": sha}, gitFacts{commit: sha}},
	}
	for _, c := range cases {
		m := memory{}
		for name, text := range c.files {
			if !strings.HasPrefix(name, "/") {
				name = testWorkspace + "/" + name
			}
			m[name] = text
		}
		l := &loader{opts: Options{Files: m}, workspace: testWorkspace}
		if got := l.readGit(); *got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, *got, c.want)
		}
	}
}

func TestWorkspaceNames(t *testing.T) {
	sha := strings.Repeat("ab", 20)
	cfg := mustLoad(t, map[string]string{
		"dsh.hcl":              "provider \"p\" {\n  protocol = \"openai\"\n}\nmodel \"m\" {\n  provider = provider.p\n  id = \"${workspace.name} ${workspace.root} ${workspace.branch} ${workspace.commit} ${path.config} ${path.home}\"\n}\nagent \"a\" {\n  model = model.m\n}\n",
		".git/HEAD":            "ref: refs/heads/main\n",
		".git/refs/heads/main": sha + "\n",
	}, nil)
	if got, want := cfg.Models[0].ID.V, "project /work/project main "+sha+" /work/project /home/anna"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
