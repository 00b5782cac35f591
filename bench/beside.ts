import { tokenOf } from "./light.ts"
import { ADMIN, apiAt } from "./server.ts"
import { makeBusy, type Target } from "./spread.ts"

export interface Beside {
  readonly target: Target
  readonly headers: Readonly<Record<string, string>>
}

/** The other server that `--beside http://root:password@host` names, filled like ours: one that speaks the same API, is empty, and whose administrator has the name `root`. */
export async function besideGiven(): Promise<Beside | undefined> {
  const at = process.argv.indexOf("--beside")
  if (at < 0) return undefined
  const { origin, username, password } = new URL(process.argv[at + 1] ?? "")
  if (username !== ADMIN.name) throw new Error(`the administrator of the other server must be named ${ADMIN.name}`)
  const target = { url: origin, api: apiAt(origin, { name: username, password }) }
  await makeBusy(target)
  return { target, headers: { authorization: `token ${await tokenOf(target)}` } }
}
