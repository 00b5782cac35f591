import { findUserByName } from "../../../access/store.ts"
import type { User } from "../../../core/actor.ts"
import type { Handle } from "../../../core/database/database.ts"
import { type Ids, putPart } from "../../../core/database/portable/part.ts"
import { refuse } from "../../../core/errors.ts"
import type { Services } from "../../../core/services.ts"
import { insertAccount } from "../../people/users/accounts.ts"
import { addAddress } from "../../people/users/addresses.ts"
import { GHOST } from "../../people/users/present.ts"
import { ACCOUNT_RULES } from "./account-rules.ts"
import { matchPeople, putRepository, type Source } from "./put-repository.ts"
import { findAccountRow, findOwned, findRepositoriesOf } from "./store.ts"

export interface PutAccount {
  readonly accountId: number
  readonly name: string
  readonly progress?: (state: string) => void
}

export interface PutAccountResult {
  readonly account: User
  /** Whether it was made now; otherwise only repositories were put. */
  readonly isNew: boolean
  readonly repositories: readonly string[]
  /** Those whose names the account had already. */
  readonly skipped: readonly string[]
  readonly faults: readonly string[]
}

/**
 * Puts an account of another database into this site, with its repositories; of an account that is there, only repositories that it has not. So it goes on when it is run again. The account
 * has no password, no administrator's rights and no address of its own: who signs in with it is for administrators to say. Refuses `invalid` a name that can't be.
 */
export async function putAccount(services: Services, source: Source, { accountId, name, progress }: PutAccount): Promise<PutAccountResult> {
  const { database } = services
  const row = await findAccountRow.first(source.db, { id: accountId })
  if (!row || row.kind === "nobody") throw refuse.notFound()
  const there = await findUserByName.first(database.read, { lowerName: name.toLowerCase() })
  if (there && there.kind !== row.kind) throw refuse.conflict("the account of this name is of another kind")
  const account = there ?? (await putRow(services, source.db, row, name))
  const [repositories, skipped, faults]: [string[], string[], string[]] = [[], [], []]
  for (const repository of await findRepositoriesOf(source.db, { ownerId: accountId })) {
    if (await findOwned.first(database.read, { ownerId: account.id, lowerName: repository.name.toLowerCase() })) {
      skipped.push(repository.name)
      continue
    }
    const put = {
      repositoryId: repository.id,
      owner: account,
      name: repository.name,
      self: { from: accountId, to: account.id },
      ...(progress && { progress }),
    }
    const done = await putRepository(services, source, put)
    repositories.push(repository.name)
    faults.push(...done.faults.map((fault) => `${repository.name}: ${fault}`))
  }
  return { account, isNew: !there, repositories, skipped, faults }
}

type AccountRow = NonNullable<Awaited<ReturnType<typeof findAccountRow.first>>>

/** The account with what belongs to it besides repositories, in one transaction. */
async function putRow({ database, now, site }: Services, from: Handle, row: AccountRow, name: string): Promise<User> {
  const { people } = await matchPeople(database.read, from)
  return database.write(async (tx) => {
    const isPerson = row.kind === "person"
    const email = isPerson ? `${name.toLowerCase()}@${site.noReplyDomain}` : ""
    const account = await insertAccount(
      tx,
      {
        kind: isPerson ? "person" : "organization",
        name,
        email,
        full_name: row.full_name,
        description: row.description,
        location: row.location,
        website: row.website,
        visibility: row.visibility,
        created_at: row.created_at,
        updated_at: now(),
      },
      "name",
    )
    if (isPerson) await addAddress(tx, { userId: account.id, email, primary: true, confirmed: true, now: now() }, "name")
    const ids: Ids = new Map([["users", new Map([[row.id, account.id]])]])
    await putPart({
      from,
      // Everything in this one transaction.
      to: { read: database.read, write: (work) => work(tx) },
      rules: ACCOUNT_RULES,
      ids,
      people: new Map([...people, [row.id, account.id]]),
      nobody: GHOST.id,
    })
    return account
  })
}
