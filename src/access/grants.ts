import { type RawBuilder, sql } from "kysely"
import { inList } from "../core/database/expressions.ts"
import { type Params, type PreparedQuery, query } from "../core/database/query.ts"
import { fill, isCaller, type Relation, template } from "./condition.ts"
import { COLLABORATION, MEMBERSHIP, OFFER, OWNERSHIP, TEAM, TEAM_OF_OWNER } from "./rules.ts"

/** Reads the rows of the relations in rules, for decisions about given rows. They are read at every request, as those of `store.ts` are. */

/** One row, with what it grants, if anything: a mode in the whole repository, and one in the unit that it names. */
export interface Grant {
  /** The repository or account; or the person, where there is one repository and many people. */
  readonly id: number
  readonly mode?: number
  readonly unit?: string | null
  readonly unit_mode?: number | null
}

interface OfCaller {
  readonly userId: number
  /** Ids of repositories, or of accounts. */
  readonly subjectIds: readonly number[]
}

interface OfPeople {
  readonly subjectId: number
  readonly userIds: readonly number[]
}

/** The rows of one caller and many subjects. */
const ofCaller = (name: string, relation: Relation): PreparedQuery<OfCaller, Grant> => {
  const subject = sql.ref<number>(relation.subject.column)
  const isOfCaller = template(isCaller(relation, "{caller.id}"))
  return query(name, (db, p: Params<OfCaller>) =>
    reading(relation, subject, sql`${fill(isOfCaller, { "caller.id": p.userId })} and ${inList(subject, p.subjectIds)}`, db),
  )
}

/** The rows of many people and one subject. */
const ofPeople = (name: string, relation: Relation & { readonly caller: string }): PreparedQuery<OfPeople, Grant> => {
  const person = sql.ref<number>(relation.caller)
  return query(name, (db, p: Params<OfPeople>) =>
    reading(relation, person, sql`${sql.ref(relation.subject.column)} = ${p.subjectId} and ${inList(person, p.userIds)}`, db),
  )
}

type Compiling = Parameters<RawBuilder<Grant>["compile"]>[0]

function reading({ from, whole, part }: Relation, id: RawBuilder<number>, where: RawBuilder<unknown>, db: Compiling) {
  const columns = [
    sql`${id} as id`,
    ...(whole ? [sql`${sql.ref(whole.column)} as mode`] : []),
    ...(part ? [sql`${sql.ref(part.unit)} as unit`, sql`${sql.ref(part.mode)} as unit_mode`] : []),
  ]
  return { compile: () => sql<Grant>`select ${sql.join(columns)} from ${sql.raw(from)} where ${where}`.compile(db) }
}

export const findCollaborations = ofCaller("access.findCollaborations", COLLABORATION)
export const findTeamGrants = ofCaller("access.findTeamGrants", TEAM)
export const findOwnersTeamGrants = ofCaller("access.findOwnersTeamGrants", TEAM_OF_OWNER)
export const findMemberOrganizations = ofCaller("access.findMemberOrganizations", MEMBERSHIP)
export const findTransferOffers = ofCaller("access.findTransferOffers", OFFER)

const findCollaborationsOn = ofPeople("access.findCollaborationsOn", COLLABORATION)
const findTeamGrantsOn = ofPeople("access.findTeamGrantsOn", TEAM)
export const findMembersAmong = ofPeople("access.findMembersAmong", MEMBERSHIP)
/** With the mode that they own with; of several teams each is a row. */
export const findOwnersAmong = ofPeople("access.findOwnersAmong", OWNERSHIP)

/** The queries for each relation that grants anything. */
export const GRANTS_OF_CALLER = [
  { relation: COLLABORATION, find: findCollaborations },
  { relation: TEAM, find: findTeamGrants },
] as const
export const GRANTS_OF_PEOPLE = [
  { relation: COLLABORATION, find: findCollaborationsOn },
  { relation: TEAM, find: findTeamGrantsOn },
] as const
