import type { Repository } from "../model/model.ts"
import { type ObjectId, type RefName, refName } from "../model/names.ts"
import type { Context } from "../process/context.ts"

const TIMEOUT_MS = 5_000

/** The references below this prefix whose history has the commit, by name, up to a limit. One process. Throws `failed`, `busy`, `timeout`, `aborted`. */
export async function referencesContaining(
  context: Context,
  repository: Repository,
  id: ObjectId,
  prefix: "refs/heads/" | "refs/tags/",
  limit: number,
): Promise<readonly RefName[]> {
  const flags = [`--contains=${id}`, `--count=${limit}`, "--format=%(refname)"]
  const { stdout } = await context.processes.run({ name: "for-each-ref", flags, args: [prefix] }, { repository, timeoutMs: TIMEOUT_MS })
  return stdout
    .toString("utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map(refName)
}
