/**
 * Changes references as a process of its own, which stops itself (SIGSTOP) at a point of `src/seams/pause.ts`: `node stopped.fixture.ts ROOT KEY POINT SINCE CHANGES`.
 * When it goes on, it prints "done", or the kind of error.
 */
import { setPause } from "../../seams/pause.ts"
import { isGitError, openGit, type RefUpdate } from "../index.ts"

const [root = "", key = "", point = "", since = "0", changes = "[]"] = process.argv.slice(2)
const git = openGit({ root, aloneSince: Number(since) })
let hasStopped = false
setPause(async (at) => {
  if (at !== point || hasStopped) return
  hasStopped = true
  process.kill(process.pid, "SIGSTOP")
})
const updates: readonly RefUpdate[] = JSON.parse(changes)
try {
  await git.references.update(git.at(key, "sha1"), updates)
  process.stdout.write("done")
} catch (error) {
  process.stdout.write(isGitError(error) ? error.kind : String(error))
}
await git.close()
