import { DefaultArtifactClient } from "@actions/artifact"
import { restoreCache, saveCache } from "@actions/cache"

/**
 * The libraries of GitHub's actions in a process of their own, as in a step of a job: they take everything from the environment, at each call. Gets
 * calls from its parent, one after the other, and sends what they gave.
 */

interface Call {
  readonly env: Readonly<Record<string, string>>
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

const own = { ...process.env }

process.on("message", ({ env, call, given }: Call) => {
  const answer = (message: object) => process.send?.(message)
  process.env = { ...own, ...env }
  const run = calls[call]
  if (typeof run !== "function") throw new Error(`there is no call ${call}`)
  Promise.resolve(Reflect.apply(run, undefined, given)).then(
    (value: unknown) => answer({ value }),
    (error: unknown) => answer({ error: String(error) }),
  )
})
