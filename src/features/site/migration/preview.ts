import { Refusal, refuse } from "../../../core/errors.ts"
import type { Services } from "../../../core/services.ts"
import { branchOf, tagOf } from "../../../git/index.ts"
import { followed } from "../../code/mirrors/changes.ts"
import type { MigrateRepoOptions } from "../../code/mirrors/records.ts"
import { RemoteRefused, RemoteTrouble, readRemote, troubleOf } from "../../code/mirrors/remote.ts"
import { listReferences } from "./create.ts"
import { requireImports, serviceOf } from "./options.ts"
import { openOrigin, servicesWithRecords } from "./origins/index.ts"
import { KINDS } from "./origins/model.ts"
import { WaitUntil } from "./origins/origin.ts"
import type { ImportPreview } from "./records.ts"

/** How long the other server is asked, and how many people may ask at a time. */
const TIMEOUT_MS = 30_000
const MOST = 8
let underWay = 0

type Asked = Pick<MigrateRepoOptions, "clone_addr" | "service" | "auth_username" | "auth_password" | "auth_token">

/**
 * What an import would bring. Refuses `invalid` for an address that can't be read, with the other server's reason, and `tooMany` where that server or this one
 * grants no more requests for now.
 */
export async function previewImport(services: Services, asked: Asked): Promise<ImportPreview> {
  requireImports(services)
  const target = readRemote(asked.clone_addr, asked.auth_username, asked.auth_token || asked.auth_password)
  if (!target) throw refuse.invalid("clone_addr", "must be an http or https address")
  if (underWay >= MOST) throw refuse.tooMany()
  underWay++
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  try {
    const references = followed((await listReferences(services, target, signal)).references)
    const git = [
      { kind: "branches", total: references.filter(({ name }) => branchOf(name) !== undefined).length },
      { kind: "tags", total: references.filter(({ name }) => tagOf(name) !== undefined).length },
    ]
    const service = serviceOf(asked)
    if (!servicesWithRecords.includes(service)) {
      const name = (new URL(target.url).pathname.split("/").at(-1) ?? "").replace(/\.git$/, "")
      return { name, description: "", private: false, wiki: false, lfs: false, counts: git }
    }
    const origin = await openOrigin(services, service, target)
    const found = await origin.preview(signal)
    const records = KINDS.flatMap((kind) => {
      const total = found.counts[kind]
      return total === undefined ? [] : [{ kind, total }]
    })
    const { name, description, isPrivate, hasWiki, hasLargeFiles } = found
    return { name, description, private: isPrivate, wiki: hasWiki, lfs: hasLargeFiles, counts: [...git, ...records] }
  } catch (error) {
    if (error instanceof WaitUntil) throw refuse.tooSoon(error.message, Math.max(1, error.at - services.now()))
    if (error instanceof RemoteRefused || error instanceof RemoteTrouble) throw refuse.invalid("clone_addr", troubleOf(error))
    throw signal.aborted && !(error instanceof Refusal) ? refuse.invalid("clone_addr", "the other server took too long") : error
  } finally {
    underWay--
  }
}
