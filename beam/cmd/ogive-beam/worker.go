package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/apache/beam/sdks/v2/go/container/tools"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
)

// workerFlags are what a runner starts a worker process with, beside those of Beam.
var (
	provision = flag.String("provision_endpoint", "", "set by runners that start a worker process")
	_         = flag.String("artifact_endpoint", "", "set by runners that start a worker process")
)

// bootsWorker reports whether this process was started by a runner as the command of a
// PROCESS environment.
func bootsWorker() bool { return *provision != "" && flag.Lookup("worker").Value.String() != "true" }

// bootWorker asks the runner for what a worker needs, and becomes it.
func bootWorker() error {
	id := strings.Trim(flag.Lookup("id").Value.String(), "'") // Prism quotes it
	ctx, cancel := context.WithTimeout(grpcx.WriteWorkerID(context.Background(), id), time.Minute)
	defer cancel()
	info, err := tools.ProvisionInfo(ctx, *provision)
	if err != nil {
		return fmt.Errorf("worker %s: %w", id, err)
	}
	options, err := tools.ProtoToJSON(info.GetPipelineOptions())
	if err != nil {
		return fmt.Errorf("worker %s: %w", id, err)
	}
	endpoint := func(name, given string) string {
		if given == "" {
			given = flag.Lookup(name).Value.String()
		}
		return "--" + name + "=" + given
	}
	env := os.Environ()
	if url := info.GetStatusEndpoint().GetUrl(); url != "" {
		env = append(env, "STATUS_ENDPOINT="+url)
	}
	if can := info.GetRunnerCapabilities(); len(can) > 0 {
		env = append(env, "RUNNER_CAPABILITIES="+strings.Join(can, " "))
	}
	path, err := os.Executable()
	if err != nil {
		return err
	}
	return syscall.Exec(path, []string{path, "--worker=true", "--id=" + id, "--options=" + options,
		endpoint("logging_endpoint", info.GetLoggingEndpoint().GetUrl()),
		endpoint("control_endpoint", info.GetControlEndpoint().GetUrl())}, env)
}

// ownProcesses makes this program the command of a PROCESS environment that names none.
// Nothing has to be staged for it; Beam asks for a file.
func ownProcesses() (done func(), err error) {
	if !strings.EqualFold(*jobopts.EnvironmentType, "process") || *jobopts.EnvironmentConfig != "" {
		return func() {}, nil
	}
	path, err := os.Executable()
	if err != nil {
		return nil, err
	}
	config, err := json.Marshal(map[string]string{"command": path})
	if err != nil {
		return nil, err
	}
	*jobopts.EnvironmentConfig = string(config)
	if *jobopts.WorkerBinary != "" {
		return func() {}, nil
	}
	f, err := os.CreateTemp("", "ogive-beam-*")
	if err != nil {
		return nil, err
	}
	*jobopts.WorkerBinary = f.Name()
	_, err = f.WriteString("the worker is the command of the environment\n")
	if e := f.Close(); err == nil {
		err = e
	}
	return func() { os.Remove(f.Name()) }, err
}
