import { createHash } from "node:crypto"
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
  /** By login there in lower case, ids of users here. Only an administrator of the site may say whose the texts of others are. */
  readonly mapped: ReadonlyMap<string, number>
  /** Whether verified addresses decide too; likewise. */
  readonly byMail: boolean
}

const Mapping = Type.Record(Type.String(), Type.Integer())

export function readMapping(people: string): ReadonlyMap<string, number> {
  const stored: unknown = JSON.parse(people)
  return new Map(Check(Mapping, stored) ? Object.entries(stored) : [])
}

/** Finds out who the people of another server are here. Kept for one transaction. */
export function peopleOf(tx: Transaction, { host, doerId, mapped, byMail }: PeopleRules) {
  const known = new Map<string, Promise<number>>()

  async function find(person: Person): Promise<number> {
    const login = cut(person.login, 255)
    const mail = cut(person.mail, 255).toLowerCase()
    const claimed = await putPerson(tx, { host, key: keyOf(person), login, name: cut(person.name, 255), mail })
    if (claimed !== 0) return claimed
    const named = mapped.get(login.toLowerCase())
    if (named !== undefined) return named
    return byMail && mail !== "" ? ((await findOwnerOfMail.first(tx, { mail }))?.user_id ?? 0) : 0
  }

  /** Their id here; 0 where they are not known. */
  function idOf(person: Person | undefined): Promise<number> {
    if (!person || person.login === "") return Promise.resolve(0)
    const key = keyOf(person)
    const found = known.get(key) ?? find(person)
    known.set(key, found)
    return found
  }

  return {
    idOf,
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
