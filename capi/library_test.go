package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// compiler returns the C compiler, or skips the test.
func compiler(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("builds the library")
	}
	out, err := exec.Command("go", "env", "CC", "CGO_ENABLED", "GOOS").Output()
	if err != nil {
		t.Fatal(err)
	}
	env := strings.Fields(string(out))
	if path, err := exec.LookPath(env[0]); err == nil && env[1] == "1" && env[2] == "linux" {
		return path
	}
	t.Skip("no C compiler, or another system than Linux")
	return ""
}

// command runs a command in a folder and returns what it prints.
func command(t *testing.T, folder string, env []string, name string, args ...string) string {
	t.Helper()
	c := exec.Command(name, args...)
	c.Dir, c.Env = folder, append(os.Environ(), env...)
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// install builds the library and puts its files where pkg-config and a compiler find them.
func install(t *testing.T, mode, file string, flags ...string) (prefix string) {
	t.Helper()
	prefix = t.TempDir()
	for from, to := range map[string]string{"ogive.h": "include", "ogive.pc": "lib/pkgconfig"} {
		text, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Join(prefix, to), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(prefix, to, from), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	build := append([]string{"build", "-buildmode=" + mode, "-o", filepath.Join(prefix, "lib", file)}, flags...)
	command(t, ".", nil, "go", append(build, ".")...)
	return prefix
}

// TestExample compiles examples/c with a shared library that pkg-config finds, where that
// is there, and with a static one, and compares what they print.
func TestExample(t *testing.T) {
	cc := compiler(t)
	source, err := filepath.Abs("../examples/c/quantiles.c")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	_, want, _ := strings.Cut(string(text), "/* Output:\n")
	want = strings.TrimSuffix(want, "*/\n")

	shared := install(t, "c-shared", "libogive.so")
	flags := []string{"-I" + shared + "/include", "-L" + shared + "/lib", "-logive"}
	if _, err := exec.LookPath("pkg-config"); err == nil {
		flags = strings.Fields(command(t, ".", []string{"PKG_CONFIG_PATH=" + shared + "/lib/pkgconfig"}, "pkg-config", "--cflags", "--libs", "ogive"))
	}
	strict := []string{"-std=c11", "-Wall", "-Wextra", "-Werror", "-Wno-missing-field-initializers", source}
	command(t, shared, nil, cc, append(append(strict, "-o", "example"), flags...)...)
	if got := command(t, shared, []string{"LD_LIBRARY_PATH=" + shared + "/lib"}, shared+"/example"); got != want {
		t.Errorf("the shared library: got\n%swant\n%s", got, want)
	}
	static := install(t, "c-archive", "libogive.a")
	command(t, static, nil, cc, append(strict, "-I"+static+"/include", "-o", "example", static+"/lib/libogive.a", "-lpthread")...)
	if got := command(t, static, nil, static+"/example"); got != want {
		t.Errorf("the static library: got\n%swant\n%s", got, want)
	}
}

// TestLayout: structs have the same layout in C as in package call, and the header is C++ too.
func TestLayout(t *testing.T) {
	cc := compiler(t)
	folder := t.TempDir()
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	command(t, folder, nil, cc, "-I"+here, "-o", "layout", filepath.Join(here, "testdata", "layout.c"))
	if got, want := command(t, folder, nil, folder+"/layout"), layout(); got != want {
		t.Errorf("in C:\n%sin Go:\n%s", got, want)
	}
	if cxx, err := exec.LookPath("c++"); err == nil {
		command(t, folder, nil, cxx, "-x", "c++", "-std=c++17", "-fsyntax-only", "-Wall", "-Werror", filepath.Join(here, "ogive.h"))
	}
}

// TestGarbage has C make wrong calls, with an address sanitizer in the program and in the
// library if OGIVE_ASAN is set, as it takes the building of all packages anew.
func TestGarbage(t *testing.T) {
	cc := compiler(t)
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	var sanitized []string
	if os.Getenv("OGIVE_ASAN") != "" {
		sanitized = []string{"-asan"}
	}
	prefix := install(t, "c-shared", "libogive.so", sanitized...)
	flags := []string{"-pthread", "-g", "-I" + here, "-o", "garbage", filepath.Join(here, "testdata", "garbage.c"), "-L" + prefix + "/lib", "-logive"}
	if sanitized != nil {
		flags = append(flags, "-fsanitize=address")
	}
	command(t, prefix, nil, cc, flags...)
	t.Log(command(t, prefix, []string{"LD_LIBRARY_PATH=" + prefix + "/lib"}, prefix+"/garbage"))
}
