import { createHash } from "node:crypto"
import { findUserById } from "../../../../access/store.ts"
import type { Transaction } from "../../../../core/database/database.ts"
import Type, { Check } from "../../../../core/schema.ts"
import { cut } from "../../../code/mirrors/import-target.ts"
import type { Person } from "../origins/model.ts"
import { findOwnerOfMail, putPerson } from "./people-store.ts"

/** Whose a text is here, and who wrote it there as long as that is another. */
export interface Attribution {
  readonly author_id: number
  readonly original_author: string
  readonly original_author_id: number
}

export interface PeopleRules {
  readonly host: string
  /** Who asked for the import: they hold the texts of people who are not known here. */
  readonly doerId: number
  /** By login or verified address there in lower case, ids of users here. Only an administrator of the site may say whose the texts of others are. */
  readonly mapped: ReadonlyMap<string, number>
  /** Whether verified addresses, and what was taken over before, decide too; likewise. */
  readonly byMail: boolean
  /** Whether the addresses come from that server itself: who has one of them may take over its texts. A file could say anything. */
  readonly believesMails: boolean
}

const Mapping = Type.Record(Type.String(), Type.Integer())

export function readMapping(people: string): ReadonlyMap<string, number> {
  const stored: unknown = JSON.parse(people)
  return new Map(Check(Mapping, stored) ? Object.entries(stored) : [])
}

/** Someone of another server: their row, and their id here, 0 where they are not known. */
interface Known {
  readonly rowId: number
  readonly userId: number
}

const NOBODY: Known = { rowId: 0, userId: 0 }

/** Finds out who the people of another server are here. Kept for one transaction. */
export function peopleOf(tx: Transaction, { host, doerId, mapped, byMail, believesMails }: PeopleRules) {
  const met = new Map<string, Promise<Known>>()

  async function find(person: Person): Promise<Known> {
    const login = cut(person.login, 255)
    const mail = cut(person.mail, 255).toLowerCase()
    const stored = believesMails ? mail : ""
    const row = await putPerson(tx, { host, key: keyOf(person), login, name: cut(person.name, 255), mail: stored })
    return { rowId: row.id, userId: await userOf(login, mail, row.user_id) }
  }

  async function userOf(login: string, mail: string, claimedBy: number): Promise<number> {
    const named = mapped.get(login.toLowerCase()) ?? (mail === "" ? undefined : mapped.get(mail))
    if (named !== undefined) return named
    // Whoever took texts over is asked again for those that another person brings later.
    const isSettled = claimedBy !== 0 && (byMail || claimedBy === doerId)
    if (isSettled && (await findUserById.first(tx, { id: claimedBy }))) return claimedBy
    return byMail && mail !== "" ? ((await findOwnerOfMail.first(tx, { mail }))?.user_id ?? 0) : 0
  }

  function know(person: Person | undefined): Promise<Known> {
    if (!person || person.login === "") return Promise.resolve(NOBODY)
    const key = keyOf(person)
    const found = met.get(key) ?? find(person)
    met.set(key, found)
    return found
  }

  /** Their id here; 0 where they are not known. */
  const idOf = async (person: Person | undefined): Promise<number> => (await know(person)).userId

  return {
    idOf,
    /** The row of who may take over what they wrote; 0 where they are known here, or are nobody. */
    async placeholderOf(person: Person | undefined): Promise<number> {
      const { rowId, userId } = await know(person)
      return userId === 0 ? rowId : 0
    },
    async attribute(author: Person | undefined): Promise<Attribution> {
      const id = await idOf(author)
      if (id !== 0) return { author_id: id, original_author: "", original_author_id: 0 }
      const number = Number(author?.key)
      return {
        author_id: doerId,
        original_author: cut(author?.login, 255) || "ghost",
        original_author_id: Number.isSafeInteger(number) && number > 0 ? number : 0,
      }
    },
  }
}

export type People = ReturnType<typeof peopleOf>

/** What never changes of them, as far as the server says. */
const keyOf = ({ key, login }: Person): string => (key === "" ? createHash("sha256").update(login.toLowerCase()).digest("hex") : key)
