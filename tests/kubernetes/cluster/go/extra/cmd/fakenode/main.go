// fakenode is the kubelet of every Node that carries the label simulated.mlp.test/node, and the Ray dashboard of every
// head pod on them. It keeps nothing: what it does follows from the pods it sees, so it may be restarted at any time.
package main

import (
	"context"
	"flag"
	"log"
	"net/http"
	"net/netip"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

const (
	nodeLabel      = "simulated.mlp.test/node"
	lostAnnotation = "simulated.mlp.test/lost"
	heartbeat      = 15 * time.Second
)

type simulation struct {
	client     kubernetes.Interface
	nodes      corelisters.NodeLister
	pods       corelisters.PodLister
	secrets    corelisters.SecretLister
	addresses  *addresses
	startAfter time.Duration
	starting   sync.Map // uids of pods whose start is under way, or done
}

func main() {
	kubeconfig := flag.String("kubeconfig", "", "who to be; it must be allowed everything that a kubelet does")
	podRange := flag.String("pod-range", "", "CIDR for the pods' addresses, all of them local to this network namespace")
	dashboards := flag.String("dashboards", ":8265", "where the Ray dashboards of all heads listen")
	startAfter := flag.Duration("start-after", 300*time.Millisecond, "from a pod's binding to its being ready")
	flag.Parse()

	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err != nil {
		log.Fatal(err)
	}
	config.QPS, config.Burst = 400, 800
	config.ContentType = "application/vnd.kubernetes.protobuf"
	client := kubernetes.NewForConfigOrDie(config)
	ctx := context.Background()

	ours := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithTweakListOptions(
		func(options *metav1.ListOptions) { options.LabelSelector = nodeLabel }))
	bound := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithTweakListOptions(
		func(options *metav1.ListOptions) {
			options.FieldSelector = fields.OneTermNotEqualSelector("spec.nodeName", "").String()
		}))
	works := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithTweakListOptions(
		func(options *metav1.ListOptions) { options.LabelSelector = workLabel }))
	nodeInformer, podInformer := ours.Core().V1().Nodes(), bound.Core().V1().Pods()
	s := &simulation{
		client: client, nodes: nodeInformer.Lister(), pods: podInformer.Lister(),
		secrets:   works.Core().V1().Secrets().Lister(),
		addresses: newAddresses(netip.MustParsePrefix(*podRange)), startAfter: *startAfter,
	}
	handle(nodeInformer.Informer(), func(object any) { s.nodeSeen(ctx, object) })
	handle(podInformer.Informer(), func(object any) { s.podSeen(ctx, object) })
	ours.Start(ctx.Done())
	works.Start(ctx.Done())
	// Pods are judged by their nodes, and may wait for Secrets, so these are known first.
	ours.WaitForCacheSync(ctx.Done())
	works.WaitForCacheSync(ctx.Done())
	bound.Start(ctx.Done())
	bound.WaitForCacheSync(ctx.Done())
	go s.beatForever(ctx)
	log.Fatal(http.ListenAndServe(*dashboards, s.dashboard()))
}

func handle(informer cache.SharedIndexInformer, seen func(any)) {
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    seen,
		UpdateFunc: func(_, object any) { seen(object) },
	})
	if err != nil {
		log.Fatal(err)
	}
}
