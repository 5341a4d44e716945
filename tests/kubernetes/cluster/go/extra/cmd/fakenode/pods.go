package main

import (
	"context"
	"encoding/json"
	"log"
	"net/netip"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

const (
	// A pod whose image contains this word never gets it.
	missingImage = "does-not-exist"
	retryAfter   = 500 * time.Millisecond
)

func (s *simulation) podSeen(ctx context.Context, object any) {
	pod, ok := object.(*corev1.Pod)
	if !ok || !s.runs(pod) {
		return
	}
	s.addresses.taken(pod.Status.PodIP)
	switch {
	case pod.DeletionTimestamp != nil:
		go s.remove(ctx, pod)
	case pod.Status.Phase == corev1.PodPending && len(pod.Status.ContainerStatuses) == 0:
		if _, begun := s.starting.LoadOrStore(pod.UID, true); !begun {
			time.AfterFunc(s.startAfter, func() { s.startOnceSupplied(ctx, pod) })
		}
	case pod.Status.Phase == corev1.PodRunning && belongsToJob(pod):
		time.AfterFunc(time.Until(s.runOf(pod).ends), func() { s.finish(ctx, pod) })
	}
}

// remove says that nothing of the pod is left on its node, which ends its deletion.
func (s *simulation) remove(ctx context.Context, pod *corev1.Pod) {
	now := int64(0)
	options := metav1.DeleteOptions{GracePeriodSeconds: &now, Preconditions: metav1.NewUIDPreconditions(string(pod.UID))}
	untilHeard("removing "+pod.Namespace+"/"+pod.Name, func() error {
		return s.client.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, options)
	})
}

// untilHeard repeats a write until the API server has taken it, or has refused it because the pod is gone or another:
// no event would come that lets it be tried again.
func untilHeard(what string, write func() error) {
	for {
		err := write()
		if err == nil || apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
			return
		}
		log.Printf("%s: %v", what, err)
		if apierrors.IsInvalid(err) {
			return
		}
		time.Sleep(retryAfter)
	}
}

// startOnceSupplied starts the pod, and where it waits for a Secret looks again until that is there.
func (s *simulation) startOnceSupplied(ctx context.Context, pod *corev1.Pod) {
	known, err := s.pods.Pods(pod.Namespace).Get(pod.Name)
	if err != nil || known.UID != pod.UID || known.DeletionTimestamp != nil || !s.runs(pod) {
		s.starting.Delete(pod.UID)
		return
	}
	if s.waitsForSecret(pod) {
		time.AfterFunc(s.startAfter, func() { s.startOnceSupplied(ctx, pod) })
		return
	}
	s.start(ctx, pod)
}

func (s *simulation) start(ctx context.Context, pod *corev1.Pod) {
	now := metav1.Now()
	status := corev1.PodStatus{Phase: corev1.PodRunning, StartTime: &now, HostIP: "127.0.0.1"}
	condition := corev1.ConditionTrue
	for _, container := range pod.Spec.Containers {
		if strings.Contains(container.Image, missingImage) {
			status.Phase, condition = corev1.PodPending, corev1.ConditionFalse
		}
	}
	for _, container := range pod.Spec.InitContainers {
		done := corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
			Reason: "Completed", StartedAt: now, FinishedAt: now}}
		status.InitContainerStatuses = append(status.InitContainerStatuses, corev1.ContainerStatus{
			Name: container.Name, Image: container.Image, Ready: true, State: done})
	}
	for _, container := range pod.Spec.Containers {
		status.ContainerStatuses = append(status.ContainerStatuses, started(container, now))
	}
	if status.Phase == corev1.PodRunning {
		status.PodIP = s.addresses.next()
		status.PodIPs = []corev1.PodIP{{IP: status.PodIP}}
	}
	status.Conditions = []corev1.PodCondition{{Type: corev1.PodInitialized, Status: corev1.ConditionTrue, LastTransitionTime: now}}
	for _, kind := range []corev1.PodConditionType{corev1.ContainersReady, corev1.PodReady} {
		status.Conditions = append(status.Conditions, corev1.PodCondition{Type: kind, Status: condition, LastTransitionTime: now})
	}
	s.report(ctx, pod, status)
}

func started(container corev1.Container, now metav1.Time) corev1.ContainerStatus {
	yes := true
	status := corev1.ContainerStatus{Name: container.Name, Image: container.Image}
	if strings.Contains(container.Image, missingImage) {
		status.State.Waiting = &corev1.ContainerStateWaiting{
			Reason: "ImagePullBackOff", Message: "Back-off pulling image \"" + container.Image + "\": not found"}
		return status
	}
	status.Ready, status.Started = true, &yes
	status.State.Running = &corev1.ContainerStateRunning{StartedAt: now}
	return status
}

// finish ends a pod of a Job, as its program would. A submitter follows the logs of its Ray job and ends well whatever
// becomes of that.
func (s *simulation) finish(ctx context.Context, pod *corev1.Pod) {
	if !s.runs(pod) {
		return
	}
	now := metav1.Now()
	status := corev1.PodStatus{Phase: corev1.PodSucceeded}
	for _, kind := range []corev1.PodConditionType{corev1.ContainersReady, corev1.PodReady} {
		status.Conditions = append(status.Conditions, corev1.PodCondition{
			Type: kind, Status: corev1.ConditionFalse, Reason: "PodCompleted", LastTransitionTime: now})
	}
	for _, container := range pod.Spec.Containers {
		ended := corev1.ContainerStateTerminated{Reason: "Completed", FinishedAt: now}
		status.ContainerStatuses = append(status.ContainerStatuses, corev1.ContainerStatus{
			Name: container.Name, Image: container.Image, State: corev1.ContainerState{Terminated: &ended}})
	}
	s.report(ctx, pod, status)
}

// report writes the fields that are set, unless another pod has taken the name since.
func (s *simulation) report(ctx context.Context, pod *corev1.Pod, status corev1.PodStatus) {
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"uid": pod.UID}, "status": status})
	if err != nil {
		log.Fatal(err)
	}
	untilHeard("status of "+pod.Namespace+"/"+pod.Name, func() error {
		pods := s.client.CoreV1().Pods(pod.Namespace)
		_, err := pods.Patch(ctx, pod.Name, types.StrategicMergePatchType, patch, metav1.PatchOptions{}, "status")
		return err
	})
}

// addresses hands out the pods' addresses, each once until the range is used up.
type addresses struct {
	lock sync.Mutex
	all  netip.Prefix
	used map[netip.Addr]bool
	last netip.Addr
}

func newAddresses(all netip.Prefix) *addresses {
	return &addresses{all: all, used: map[netip.Addr]bool{}, last: all.Addr()}
}

func (a *addresses) taken(text string) {
	address, err := netip.ParseAddr(text)
	if err != nil {
		return
	}
	a.lock.Lock()
	defer a.lock.Unlock()
	a.used[address] = true
}

func (a *addresses) next() string {
	a.lock.Lock()
	defer a.lock.Unlock()
	for a.last = a.last.Next(); a.used[a.last]; {
		a.last = a.last.Next()
	}
	if !a.all.Contains(a.last) {
		a.last, a.used = a.all.Addr().Next(), map[netip.Addr]bool{}
	}
	return a.last.String()
}
