package main

import (
	"encoding/json"

	corev1 "k8s.io/api/core/v1"
)

const (
	// Secrets with this label are watched: they hold the works of heads.
	workLabel = "app.kubernetes.io/managed-by=mlp"
	// In the environment of a pod's container, of any value: the pod waits for the Secrets that it mounts, as it would
	// on a true node, and where such a Secret holds a work, for one that names its own Ray cluster.
	secretsVariable = "SIMULATED_SECRETS"
	workFile        = "work.json"
)

// work is what a head's Secret says of the process that it is to run.
type work struct {
	RayCluster string            `json:"ray_cluster"`
	Variables  map[string]string `json:"variables"`
}

// workOf reads the first work among the Secrets that the pod mounts; nil where there is none.
func (s *simulation) workOf(pod *corev1.Pod) *work {
	for _, name := range mountedSecrets(pod) {
		if found := s.readWork(pod.Namespace, name); found != nil {
			return found
		}
	}
	return nil
}

func (s *simulation) waitsForSecret(pod *corev1.Pod) bool {
	if variable(pod, secretsVariable) == "" {
		return false
	}
	for _, name := range mountedSecrets(pod) {
		if _, err := s.secrets.Secrets(pod.Namespace).Get(name); err != nil {
			return true
		}
		if found := s.readWork(pod.Namespace, name); found != nil && found.RayCluster != pod.Labels["ray.io/cluster"] {
			return true
		}
	}
	return false
}

func (s *simulation) readWork(namespace, name string) *work {
	secret, err := s.secrets.Secrets(namespace).Get(name)
	if err != nil {
		return nil
	}
	found := &work{}
	if json.Unmarshal(secret.Data[workFile], found) != nil {
		return nil
	}
	return found
}

// mountedSecrets names the Secrets without which the pod's node would not start it.
func mountedSecrets(pod *corev1.Pod) []string {
	if pod == nil {
		return nil
	}
	names := []string{}
	for _, volume := range pod.Spec.Volumes {
		if volume.Secret != nil && (volume.Secret.Optional == nil || !*volume.Secret.Optional) {
			names = append(names, volume.Secret.SecretName)
		}
	}
	return names
}
