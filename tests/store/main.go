// An object store for tests, over a folder: `store ADDRESS FOLDER`. It is the part of versitygw that answers S3, which takes a fraction of the whole to build.
package main

import (
	"context"
	"log"
	"os"
	"path/filepath"

	"github.com/versity/versitygw/auth"
	"github.com/versity/versitygw/backend/meta"
	"github.com/versity/versitygw/backend/posix"
	"github.com/versity/versitygw/metrics"
	"github.com/versity/versitygw/s3api"
	"github.com/versity/versitygw/s3api/middlewares"
)

const (
	region      = "us-east-1"
	concurrency = 1000
	maxParts    = 10_000
)

func main() {
	if err := serve(os.Args[1], os.Args[2]); err != nil {
		log.Fatal(err)
	}
}

// serve keeps what it knows of objects in files of its own: not every file system of tests has extended attributes.
func serve(address, folder string) error {
	sidecar := filepath.Join(folder, "about")
	about, err := meta.NewSideCar(sidecar)
	if err != nil {
		return err
	}
	objects, err := posix.New(filepath.Join(folder, "objects"), about, posix.PosixOpts{Concurrency: concurrency, SideCarDir: sidecar})
	if err != nil {
		return err
	}
	root := middlewares.RootUserConfig{Access: os.Getenv("ROOT_ACCESS_KEY"), Secret: os.Getenv("ROOT_SECRET_KEY")}
	accounts := auth.NewIAMServiceSingle(auth.Account{Access: root.Access, Secret: root.Secret, Role: auth.RoleAdmin})
	counts, err := metrics.NewManager(context.Background(), metrics.Config{})
	if err != nil {
		return err
	}
	server, err := s3api.New(objects, root, region, accounts, nil, nil, nil, counts,
		s3api.WithQuiet(), s3api.WithKeepAlive(), s3api.WithConcurrencyLimiter(concurrency, concurrency), s3api.WithMpMaxParts(maxParts))
	if err != nil {
		return err
	}
	return server.ServeMultiPort([]string{address})
}
