module hearth/runner

go 1.26.0

require gitea.com/gitea/runner v1.0.8
