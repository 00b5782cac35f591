import { DefaultArtifactClient } from "@actions/artifact"
import { restoreCache, saveCache } from "@actions/cache"

/**
 * The libraries of GitHub's actions in a process of their own, as in a step of a job: they take everything from the environment. Gets one call from its
 * parent, and sends what it gave.
 */

interface Call {
  readonly call: string
  readonly given: readonly unknown[]
}

const artifacts = new DefaultArtifactClient()

const calls: Readonly<Record<string, unknown>> = {
  upload: artifacts.uploadArtifact.bind(artifacts),
  list: artifacts.listArtifacts.bind(artifacts),
  get: artifacts.getArtifact.bind(artifacts),
  download: artifacts.downloadArtifact.bind(artifacts),
  delete: artifacts.deleteArtifact.bind(artifacts),
  save: saveCache,
  restore: restoreCache,
}

process.on("message", ({ call, given }: Call) => {
  const answer = (message: object) => process.send?.(message, () => process.exit())
  const run = calls[call]
  if (typeof run !== "function") throw new Error(`there is no call ${call}`)
  Promise.resolve(Reflect.apply(run, undefined, given)).then(
    (value: unknown) => answer({ value }),
    (error: unknown) => answer({ error: String(error) }),
  )
})
