// Generates what the engine's language hosts do, which only download: `codegen sdk SCHEMA FOLDER` writes the Python SDK of
// a package; `codegen program LOADER` prints in TypeScript the program that `pulumi import` hands over, from stdin.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/pulumi/pulumi/pkg/v3/codegen/hcl2/syntax"
	"github.com/pulumi/pulumi/pkg/v3/codegen/nodejs"
	"github.com/pulumi/pulumi/pkg/v3/codegen/pcl"
	"github.com/pulumi/pulumi/pkg/v3/codegen/python"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

func main() {
	var err error
	switch arguments := os.Args[1:]; arguments[0] {
	case "sdk":
		err = writeSdk(arguments[1], arguments[2])
	case "program":
		err = printProgram(arguments[1])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func writeSdk(schemaFile, folder string) error {
	text, err := os.ReadFile(schemaFile)
	if err != nil {
		return err
	}
	var spec schema.PackageSpec
	if err := json.Unmarshal(text, &spec); err != nil {
		return err
	}
	pkg, mistakes, err := schema.BindSpec(spec, nil, schema.ValidationOptions{})
	if err != nil {
		return err
	}
	if len(mistakes) > 0 {
		return mistakes
	}
	files, err := python.GeneratePackage("tether", pkg, nil, nil)
	if err != nil {
		return err
	}
	for name, content := range files {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(path, content, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// As the host for Node does it, with the schemas that the engine has loaded.
func printProgram(loader string) error {
	client, err := schema.NewLoaderClient(loader)
	if err != nil {
		return err
	}
	parser := syntax.NewParser()
	if err := parser.ParseFile(os.Stdin, "main.pp"); err != nil {
		return err
	}
	options := append(pcl.NonStrictBindOptions(), pcl.Loader(schema.NewCachedLoader(client)))
	program, mistakes, err := pcl.BindProgram(parser.Files, options...)
	if err != nil {
		return err
	}
	if mistakes.HasErrors() {
		return mistakes
	}
	files, mistakes, err := nodejs.GenerateProgram(program)
	if err != nil {
		return err
	}
	if mistakes.HasErrors() {
		return mistakes
	}
	for _, content := range files {
		os.Stdout.Write(content)
	}
	return nil
}
