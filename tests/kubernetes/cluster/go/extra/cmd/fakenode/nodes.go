package main

import (
	"context"
	"encoding/json"
	"log"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	coordination "k8s.io/client-go/applyconfigurations/coordination/v1"
)

// nodeSeen makes a node ready as soon as it appears: the first heartbeat.
func (s *simulation) nodeSeen(ctx context.Context, object any) {
	node, ok := object.(*corev1.Node)
	if !ok || lost(node) || ready(node) {
		return
	}
	go func() {
		s.renewLease(ctx, node.Name)
		s.reportReady(ctx, node.Name)
	}()
}

func (s *simulation) beatForever(ctx context.Context) {
	for range time.Tick(heartbeat) {
		nodes, err := s.nodes.List(labels.Everything())
		if err != nil {
			log.Print(err)
		}
		for _, node := range nodes {
			if !lost(node) {
				s.renewLease(ctx, node.Name)
			}
		}
	}
}

// renewLease is the cheap heartbeat; the node lifecycle controller takes it for the node's status being fresh.
func (s *simulation) renewLease(ctx context.Context, name string) {
	lease := coordination.Lease(name, "kube-node-lease").WithSpec(coordination.LeaseSpec().
		WithHolderIdentity(name).WithLeaseDurationSeconds(40).WithRenewTime(metav1.NowMicro()))
	options := metav1.ApplyOptions{FieldManager: "fakenode", Force: true}
	if _, err := s.client.CoordinationV1().Leases("kube-node-lease").Apply(ctx, lease, options); err != nil {
		log.Printf("lease of %s: %v", name, err)
	}
}

func (s *simulation) reportReady(ctx context.Context, name string) {
	now := metav1.Now()
	status := corev1.NodeStatus{
		Conditions: []corev1.NodeCondition{{
			Type: corev1.NodeReady, Status: corev1.ConditionTrue, Reason: "KubeletReady", Message: "simulated",
			LastHeartbeatTime: now, LastTransitionTime: now,
		}},
	}
	patch, err := json.Marshal(map[string]any{"status": map[string]any{"conditions": status.Conditions}})
	if err != nil {
		log.Fatal(err)
	}
	nodes := s.client.CoreV1().Nodes()
	if _, err := nodes.Patch(ctx, name, types.StrategicMergePatchType, patch, metav1.PatchOptions{}, "status"); err != nil {
		log.Printf("status of %s: %v", name, err)
	}
}

// runs tells whether the pod is on a simulated node that is alive.
func (s *simulation) runs(pod *corev1.Pod) bool {
	node, err := s.nodes.Get(pod.Spec.NodeName)
	return err == nil && !lost(node)
}

func lost(node *corev1.Node) bool { return node.Annotations[lostAnnotation] != "" }

func ready(node *corev1.Node) bool {
	for _, condition := range node.Status.Conditions {
		if condition.Type == corev1.NodeReady {
			return condition.Status == corev1.ConditionTrue
		}
	}
	return false
}
