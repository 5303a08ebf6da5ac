// Asks KubeRay's own validation what it says of manifests: one line a file, its name and the answer, empty if taken.
//
//	go mod init recording && go get github.com/ray-project/kuberay/ray-operator@v1.6.2 && go mod tidy
//	go run . FOLDER > operator.tsv
//
// MaxSurgePercent gets the default that the API server fills in. The gate of incremental upgrades is on, as in 1.7.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	rayv1 "github.com/ray-project/kuberay/ray-operator/apis/ray/v1"
	"github.com/ray-project/kuberay/ray-operator/controllers/ray/utils"
	_ "github.com/ray-project/kuberay/ray-operator/pkg/features"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"sigs.k8s.io/yaml"
)

func main() {
	if err := utilfeature.DefaultMutableFeatureGate.Set("RayServiceIncrementalUpgrade=true"); err != nil {
		panic(err)
	}
	files, _ := filepath.Glob(filepath.Join(os.Args[1], "*.yaml"))
	for _, file := range files {
		data, _ := os.ReadFile(file)
		for _, document := range strings.Split(string(data), "\n---\n") {
			if err := validate([]byte(document)); err != nil {
				fmt.Printf("%s\t%s\n", filepath.Base(file), strings.ReplaceAll(err.Error(), "\n", " "))
			}
		}
	}
}

func validate(document []byte) error {
	var head struct{ Kind string }
	if err := yaml.Unmarshal(document, &head); err != nil {
		return err
	}
	switch head.Kind {
	case "RayCluster":
		return validateCluster(document)
	case "RayService":
		return validateService(document)
	case "RayJob":
		return validateJob(document)
	}
	return nil
}

func validateCluster(document []byte) error {
	var object rayv1.RayCluster
	if err := yaml.UnmarshalStrict(document, &object); err != nil {
		return err
	}
	if err := utils.ValidateRayClusterMetadata(object.ObjectMeta); err != nil {
		return err
	}
	if err := utils.ValidateRayClusterUpgradeOptions(&object); err != nil {
		return err
	}
	return utils.ValidateRayClusterSpec(&object.Spec, object.Annotations)
}

func validateService(document []byte) error {
	var object rayv1.RayService
	if err := yaml.UnmarshalStrict(document, &object); err != nil {
		return err
	}
	if strategy := object.Spec.UpgradeStrategy; strategy != nil && strategy.ClusterUpgradeOptions != nil {
		if strategy.ClusterUpgradeOptions.MaxSurgePercent == nil {
			most := int32(100)
			strategy.ClusterUpgradeOptions.MaxSurgePercent = &most
		}
	}
	if err := utils.ValidateRayServiceMetadata(object.ObjectMeta); err != nil {
		return err
	}
	return utils.ValidateRayServiceSpec(&object)
}

func validateJob(document []byte) error {
	var object rayv1.RayJob
	if err := yaml.UnmarshalStrict(document, &object); err != nil {
		return err
	}
	if err := utils.ValidateRayJobMetadata(object.ObjectMeta); err != nil {
		return err
	}
	return utils.ValidateRayJobSpec(&object)
}
