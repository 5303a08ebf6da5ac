// Answers what Go and Kubernetes make of a text, one JSON string a line in, one JSON object a line out.
// make_fixtures.py feeds it and keeps the answers as fixtures.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/yaml"
)

var answers = map[string]func(string) (map[string]any, error){
	"yaml": func(text string) (map[string]any, error) {
		out, err := yaml.YAMLToJSON([]byte(text))
		return map[string]any{"json": string(out)}, err
	},
	"quantity": func(text string) (map[string]any, error) {
		q, err := resource.ParseQuantity(text)
		if err != nil {
			return nil, err
		}
		canonical := q.String()
		return map[string]any{"canonical": canonical, "decimal": q.AsDec().String(), "value": q.Value()}, nil
	},
	"duration": func(text string) (map[string]any, error) {
		d, err := time.ParseDuration(text)
		return map[string]any{"nanoseconds": int64(d)}, err
	},
}

func main() {
	answer := answers[os.Args[1]]
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var text string
		if err := json.Unmarshal(lines.Bytes(), &text); err != nil {
			panic(err)
		}
		out, err := answer(text)
		if err != nil {
			out = map[string]any{"error": err.Error()}
		}
		out["text"] = text
		line, err := json.Marshal(out)
		if err != nil {
			panic(err)
		}
		fmt.Println(string(line))
	}
}
