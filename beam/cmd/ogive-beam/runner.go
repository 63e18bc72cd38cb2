package main

import (
	"context"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
)

// runnerOf are the values of --runner, and which of six runners each means.
var runnerOf = map[string]string{
	"": "prism", "prism": "prism", "PrismRunner": "prism", "direct": "direct", "DirectRunner": "direct",
	"universal": "universal", "portable": "universal", "PortableRunner": "universal",
	"flink": "flink", "FlinkRunner": "flink", "spark": "spark", "SparkRunner": "spark", "dataflow": "dataflow", "DataflowRunner": "dataflow",
}

// isServed reports whether a job server runs the pipeline, at --endpoint.
func isServed() bool {
	switch runnerOf[*runners.Runner] {
	case "universal", "flink", "spark":
		return true
	case "prism":
		return *jobopts.Endpoint != ""
	}
	return false
}

// isHere reports whether the pipeline runs in this process.
func isHere() bool { return !isServed() && runnerOf[*runners.Runner] != "dataflow" }

// checkRunner checks the flags that say where the pipeline runs, of which Beam finds out
// late, or not at all.
func checkRunner() error {
	name, endpoint, environment := *runners.Runner, *jobopts.Endpoint, *jobopts.EnvironmentType
	if _, ok := runnerOf[name]; !ok {
		return fmt.Errorf("--runner takes prism, direct, universal, flink, spark or dataflow, got %q", name)
	}
	switch strings.ToUpper(environment) {
	case "", "PROCESS", "LOOPBACK", "DOCKER":
	case "EXTERNAL":
		if *jobopts.EnvironmentConfig == "" {
			return fmt.Errorf("--environment_type %s needs --environment_config HOST:PORT", environment)
		}
	default:
		return fmt.Errorf("--environment_type takes PROCESS, LOOPBACK, DOCKER or EXTERNAL, got %q", environment)
	}
	if !isServed() {
		return nil
	}
	if name == "" {
		name = "prism"
	}
	switch {
	case endpoint == "":
		return fmt.Errorf("--runner %s needs --endpoint HOST:PORT, of its job server", name)
	case environment == "":
		return fmt.Errorf("--runner %s --endpoint %s needs --environment_type PROCESS, LOOPBACK or DOCKER", name, endpoint)
	}
	if _, port, err := net.SplitHostPort(endpoint); !hasScheme(endpoint) && (err != nil || port == "") {
		return fmt.Errorf("--endpoint takes HOST:PORT, got %q", endpoint)
	}
	return nil
}

// hasScheme reports whether an endpoint is a name that gRPC resolves, as dns:///HOST:PORT.
func hasScheme(endpoint string) bool {
	return strings.Contains(endpoint, "://") || strings.HasPrefix(endpoint, "unix:")
}

// serverWait is how long a job server may take to answer.
const serverWait = 8 * time.Second

// reachServer finds out whether a job server answers, for which Beam waits two minutes.
func reachServer(ctx context.Context) error {
	if !isServed() {
		return nil
	}
	endpoint := *jobopts.Endpoint
	ctx, cancel := context.WithTimeout(ctx, serverWait)
	defer cancel()
	if !hasScheme(endpoint) {
		c, err := new(net.Dialer).DialContext(ctx, "tcp", endpoint)
		if err != nil {
			return fmt.Errorf("--endpoint %s: %w", endpoint, err)
		}
		c.Close()
	}
	c, err := grpcx.Dial(ctx, endpoint, serverWait)
	if err != nil {
		return fmt.Errorf("--endpoint %s: no job server answers there", endpoint)
	}
	return c.Close()
}
