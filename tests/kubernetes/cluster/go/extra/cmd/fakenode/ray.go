package main

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
)

const (
	// In the environment of a head's container, or of the work that its Secret describes, which wins: how long its job
	// runs and how it ends, as in "2s" or "2s exit 1".
	runVariable = "SIMULATED_RUN"
	defaultRun  = 2 * time.Second
	// What KubeRay tells its submitter pods.
	submissionVariable = "RAY_JOB_SUBMISSION_ID"
	dashboardVariable  = "RAY_DASHBOARD_ADDRESS"
)

// run is one execution of a Ray job, and of the pod that submits it and waits for its end.
type run struct {
	begins, ends time.Time
	exitCode     int32
}

func belongsToJob(pod *corev1.Pod) bool { return pod.Labels["batch.kubernetes.io/job-name"] != "" }

// runOf follows from the submitter's start and the head's environment alone.
func (s *simulation) runOf(submitter *corev1.Pod) run {
	begins := time.Now()
	if submitter.Status.StartTime != nil {
		begins = submitter.Status.StartTime.Time
	}
	head := s.headOf(submitter)
	told := variable(head, runVariable)
	if work := s.workOf(head); work != nil && work.Variables[runVariable] != "" {
		told = work.Variables[runVariable]
	}
	words := strings.Fields(told)
	lasts, exitCode := defaultRun, int64(0)
	if len(words) > 0 {
		if parsed, err := time.ParseDuration(words[0]); err == nil {
			lasts = parsed
		}
	}
	if len(words) == 3 {
		exitCode, _ = strconv.ParseInt(words[2], 10, 32)
	}
	return run{begins: begins, ends: begins.Add(lasts), exitCode: int32(exitCode)}
}

// headOf finds the started head that the submitter's dashboard address names; nil where there is none.
func (s *simulation) headOf(submitter *corev1.Pod) *corev1.Pod {
	service, _, _ := strings.Cut(variable(submitter, dashboardVariable), ".")
	heads, err := s.pods.Pods(submitter.Namespace).List(labels.SelectorFromSet(labels.Set{"ray.io/node-type": "head"}))
	if err != nil || service == "" {
		return nil
	}
	for _, head := range heads {
		if head.Status.StartTime != nil && strings.HasPrefix(service, head.Labels["ray.io/cluster"]+"-head") {
			return head
		}
	}
	return nil
}

func variable(pod *corev1.Pod, name string) string {
	if pod == nil {
		return ""
	}
	for _, container := range pod.Spec.Containers {
		for _, variable := range container.Env {
			if variable.Name == name {
				return variable.Value
			}
		}
	}
	return ""
}

// dashboard answers for every head at once: submission ids are unique, and a head that is gone has no endpoint.
func (s *simulation) dashboard() http.Handler {
	routes := http.NewServeMux()
	routes.HandleFunc("GET /api/version", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, map[string]any{"version": "4", "ray_version": "2.60.0"})
	})
	routes.HandleFunc("GET /api/jobs/{id}", func(w http.ResponseWriter, request *http.Request) {
		submitter := s.submitterOf(request.PathValue("id"))
		if submitter == nil {
			http.Error(w, "no such job", http.StatusNotFound)
			return
		}
		head := s.headOf(submitter)
		switch {
		case head != nil && !s.runs(head):
			http.Error(w, "its node is lost", http.StatusServiceUnavailable)
		case head == nil || head.Status.StartTime.After(submitter.Status.StartTime.Time):
			// The head that knew the job is gone, and Ray's memory with it.
			http.Error(w, "no such job", http.StatusNotFound)
		default:
			answer(w, s.jobInfo(submitter))
		}
	})
	routes.HandleFunc("GET /api/jobs/{id}/logs", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, map[string]any{"logs": "simulated\n"})
	})
	return routes
}

func (s *simulation) submitterOf(submission string) *corev1.Pod {
	pods, err := s.pods.List(labels.Everything())
	if err != nil {
		return nil
	}
	for _, pod := range pods {
		if belongsToJob(pod) && pod.Status.StartTime != nil && variable(pod, submissionVariable) == submission {
			return pod
		}
	}
	return nil
}

func (s *simulation) jobInfo(submitter *corev1.Pod) map[string]any {
	run := s.runOf(submitter)
	info := map[string]any{
		"submission_id": variable(submitter, submissionVariable), "type": "SUBMISSION",
		"status": "RUNNING", "message": "Job is currently running.", "start_time": run.begins.UnixMilli(),
	}
	if time.Now().Before(run.ends) {
		return info
	}
	info["end_time"] = run.ends.UnixMilli()
	info["status"], info["message"] = "SUCCEEDED", "Job finished successfully."
	if run.exitCode != 0 {
		info["status"] = "FAILED"
		info["message"] = "Job entrypoint command failed with exit code " + strconv.Itoa(int(run.exitCode))
	}
	return info
}

func answer(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(body)
}
