// Answers what KubeRay makes of a group: one JSON object {"head": bool, "group": {...}} a line in, the arguments of the
// Ray container a line out. make_fixtures.py feeds it and keeps the answers as fixtures.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"

	rayv1 "github.com/ray-project/kuberay/ray-operator/apis/ray/v1"
	"github.com/ray-project/kuberay/ray-operator/controllers/ray/common"
	"github.com/ray-project/kuberay/ray-operator/controllers/ray/utils"
)

type question struct {
	Head  bool            `json:"head"`
	Group json.RawMessage `json:"group"`
}

func arguments(asked question) (string, error) {
	ctx := context.Background()
	cluster := rayv1.RayCluster{}
	cluster.Name, cluster.Namespace = "chat", "default"
	if asked.Head {
		var group rayv1.HeadGroupSpec
		if err := json.Unmarshal(asked.Group, &group); err != nil {
			return "", err
		}
		if group.RayStartParams == nil {
			group.RayStartParams = map[string]string{}
		}
		template := common.DefaultHeadPodTemplate(ctx, cluster, group, "chat-head", "6379")
		pod := common.BuildPod(ctx, template, rayv1.HeadNode, group.RayStartParams, "6379", false, utils.RayClusterCRD, "", nil, "")
		return pod.Spec.Containers[0].Args[0], nil
	}
	var group rayv1.WorkerGroupSpec
	if err := json.Unmarshal(asked.Group, &group); err != nil {
		return "", err
	}
	if group.RayStartParams == nil {
		group.RayStartParams = map[string]string{}
	}
	template := common.DefaultWorkerPodTemplate(ctx, cluster, group, "chat-worker", "head", "6379", "", 0, 0)
	pod := common.BuildPod(ctx, template, rayv1.WorkerNode, group.RayStartParams, "6379", false, utils.RayClusterCRD, "head", nil, "")
	return pod.Spec.Containers[0].Args[0], nil
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var asked question
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			panic(err)
		}
		made, err := arguments(asked)
		answer := map[string]any{"arguments": made}
		if err != nil {
			answer = map[string]any{"error": err.Error()}
		}
		out, _ := json.Marshal(answer)
		fmt.Println(string(out))
	}
}
