import { Mode } from "../../../access/modes.ts"
import { type Owned, permissionsOf, unitMode } from "../../../access/permission.ts"
import type { User } from "../../../core/actor.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { escapePath } from "../../../core/text/escape-path.ts"
import { branchOf } from "../../../git/index.ts"
import type { PushStep } from "../../code/pushes/step.ts"
import { findRepositoriesByIds, withOwners } from "../../code/repositories/store.ts"
import { repositoryHtmlUrl } from "../../code/repositories/urls.ts"
import { findOpenFrom } from "./store.ts"

/** The most branches of a push, and the most pull requests of a branch, that are told. */
const MOST_BRANCHES = 3
const MOST_PULLS = 3

/** Tells the pusher of a branch where its pull request is, or where one can be opened. */
export const tellPusher: PushStep = async ({ services: { site }, changes, merge }) => {
  const pushed = merge ? [] : changes.flatMap(({ ref, newId }) => (newId === null ? [] : (branchOf(ref) ?? [])))
  return async (tx, { repository, owner, pusher, tell }) => {
    const names = pushed.filter((name) => name !== repository.default_branch).slice(0, MOST_BRANCHES)
    if (names.length === 0) return
    const open = await findOpenFrom(tx, { repositoryId: repository.id, branches: names })
    const bases = open.length === 0 ? [] : await basesOf(tx, [...new Set(open.map(({ repository_id }) => repository_id))], pusher)
    const mayOpen = await readsPulls(tx, { repository, owner }, pusher)
    for (const name of names) {
      const found = open.filter(({ head_branch }) => head_branch === name).slice(0, MOST_PULLS)
      const addresses = found.flatMap(({ repository_id, number }) => {
        const base = bases.find((each) => each.repository.id === repository_id)
        return base ? [`${repositoryHtmlUrl(site, base.owner.name, base.repository.name)}/pulls/${number}`] : []
      })
      const compare = `${repositoryHtmlUrl(site, owner.name, repository.name)}/compare/${escapePath(repository.default_branch)}...${escapePath(name)}`
      if (addresses.length > 0) say(tell, `The pull request of '${name}':`, addresses)
      else if (mayOpen && found.length === 0) say(tell, `Create a pull request for '${name}':`, [compare])
    }
  }
}

function say(tell: (line: string) => void, title: string, addresses: readonly string[]): void {
  for (const line of ["", title, ...addresses.map((address) => `  ${address}`), ""]) tell(line)
}

/** Those of the repositories whose pull requests the pusher may read. */
async function basesOf(tx: Transaction, ids: readonly number[], pusher: User): Promise<readonly Owned[]> {
  const readable: Owned[] = []
  for (const base of await withOwners(tx, await findRepositoriesByIds(tx, { ids: ids.slice(0, MOST_PULLS) })))
    if (await readsPulls(tx, base, pusher)) readable.push(base)
  return readable
}

async function readsPulls(tx: Transaction, owned: Owned, pusher: User): Promise<boolean> {
  const permission = (await permissionsOf(tx, owned, [pusher])).get(pusher.id)
  return permission !== undefined && unitMode(permission, owned.repository, "repo.pulls") >= Mode.read
}
