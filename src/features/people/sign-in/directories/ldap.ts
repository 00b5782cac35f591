import { readFile } from "node:fs/promises"
import { Client, type Entry, Filter, InvalidCredentialsError } from "ldapts"
import type { Static } from "../../../../core/schema.ts"
import type { Directory as DirectorySchema } from "../../../../core/settings.ts"

/** What is asked of a directory over LDAP (RFC 4511). Every call has a deadline, and the whole has one. */

export type Directory = Static<typeof DirectorySchema>

/** A person of a directory, who has shown their password there. */
export interface DirectoryPerson {
  /** The directory's lasting id. */
  readonly subject: string
  readonly login: string
  /** "" where the directory tells none. */
  readonly mail: string
  readonly fullName: string
  /** The distinguished names of the groups, and their common names. */
  readonly groups: readonly string[]
}

/** `unknown` where there is no such person, or more than one. */
export type Asked = DirectoryPerson | "unknown" | "wrong"

const CALL_MS = 5_000
/** For all calls of one sign-in together. */
const WHOLE_MS = 12_000
const MOST_GROUPS = 1_000
const LONGEST = 1_000

const USER_FILTER = "(&(objectClass=person)(|(uid={login})(mail={login})))"
const GROUP_FILTER = "(|(member={dn})(uniqueMember={dn})(memberUid={login}))"

/** Puts values into the places of a filter, so that no letter of theirs means anything in it (RFC 4515). */
export const filled = (filter: string, values: Readonly<Record<string, string>>): string =>
  filter.replace(/\{(\w+)\}/g, (place, name: string) => {
    const value = new Map(Object.entries(values)).get(name)
    return value === undefined ? place : Filter.escape(value)
  })

/** The same for a distinguished name (RFC 4514): all that is no letter, digit or harmless sign is written as bytes. */
export const filledDn = (template: string, login: string): string =>
  template.replaceAll("{login}", () =>
    login.replace(/[^\p{L}\p{N}._@-]/gu, (sign) =>
      [...Buffer.from(sign)].map((byte) => `\\${byte.toString(16).padStart(2, "0")}`).join(""),
    ),
  )

/** The values of an attribute, whose name has any letter case. */
const valuesOf = (entry: Entry, name: string): readonly (Buffer | string)[] =>
  [Object.entries(entry).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1] ?? []].flat()
const textsOf = (entry: Entry, name: string): readonly string[] =>
  valuesOf(entry, name).map((value) => (Buffer.isBuffer(value) ? value.toString("utf8") : value))
const textOf = (entry: Entry, name: string): string => {
  const [value = ""] = textsOf(entry, name)
  return value.length <= LONGEST && !value.includes("\0") ? value : ""
}

/** The lasting id: text, or, as in Active Directory, bytes. */
function subjectOf(entry: Entry, name: string): string {
  const [value] = valuesOf(entry, name)
  return value === undefined ? "" : Buffer.isBuffer(value) ? value.toString("hex") : value.slice(0, LONGEST)
}

/**
 * Finds a person and lets them bind with their password. Throws where the directory can't be asked in time. An empty password is never sent: a directory
 * takes that for no one's sign-in, and says yes (RFC 4513, 5.1.2).
 */
export async function askDirectory(directory: Directory, login: string, password: string): Promise<Asked> {
  if (password === "" || login === "" || /\0/.test(login + password)) return "unknown"
  return withClient(directory, (client, tlsOptions) => ask(client, directory, { login, password, tlsOptions }))
}

/** Whether the directory can be asked: it takes the service's name and password, and has the place of its people. Throws where not. */
export const probeDirectory = (directory: Directory): Promise<void> =>
  withClient(directory, async (client, tlsOptions) => {
    const { bindDn = "", bindPassword = "", startTls, userBase, userDn } = directory
    if (startTls) await client.startTLS(tlsOptions)
    // People bind themselves: more than a connection can't be tried without one.
    if (userDn !== undefined) return void (await client.search("", { scope: "base", attributes: ["1.1"] }))
    if (bindDn !== "") await client.bind(bindDn, bindPassword)
    await client.search(userBase, { scope: "base", attributes: ["1.1"] })
  })

async function withClient<T>(directory: Directory, work: (client: Client, tlsOptions: object) => Promise<T>): Promise<T> {
  const tlsOptions = directory.caFile === undefined ? {} : { ca: [await readFile(directory.caFile)] }
  const client = new Client({
    url: directory.url,
    timeout: CALL_MS,
    connectTimeout: CALL_MS,
    ...(directory.url.startsWith("ldaps:") && { tlsOptions }),
  })
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error("the directory took too long")), WHOLE_MS)
  })
  try {
    return await Promise.race([work(client, tlsOptions), late])
  } finally {
    clearTimeout(timer)
    client.unbind().catch(() => undefined)
  }
}

interface Shown {
  readonly login: string
  readonly password: string
  readonly tlsOptions: object
}

async function ask(client: Client, directory: Directory, { login, password, tlsOptions }: Shown): Promise<Asked> {
  const { userDn, userBase, userFilter = USER_FILTER, bindDn = "", bindPassword = "" } = directory
  if (directory.startTls) await client.startTLS(tlsOptions)
  const direct = userDn === undefined ? undefined : filledDn(userDn, login)
  const asService = async () => (bindDn === "" ? undefined : client.bind(bindDn, bindPassword))
  if (direct === undefined) await asService()
  else if (!(await binds(client, direct, password))) return "wrong"
  const { idAttribute = "entryUUID", loginAttribute = "uid", mailAttribute = "mail", nameAttribute = "cn" } = directory
  const { searchEntries } = await client.search(userBase, {
    scope: "sub",
    filter: filled(userFilter, { login }),
    sizeLimit: 2,
    timeLimit: CALL_MS / 1_000,
    attributes: [idAttribute, loginAttribute, mailAttribute, nameAttribute, "memberOf"],
    explicitBufferAttributes: ["objectGUID"],
  })
  const [entry, ...others] = searchEntries
  // Which of two is meant can't be known.
  if (!entry || others.length > 0) return "unknown"
  if (direct === undefined && !(await binds(client, entry.dn, password))) return "wrong"
  const subject = subjectOf(entry, idAttribute)
  const name = textOf(entry, loginAttribute)
  if (subject === "" || name === "") throw new Error(`the entry has no ${idAttribute} or ${loginAttribute}`)
  if (direct === undefined) await asService()
  return {
    subject,
    login: name,
    mail: textOf(entry, mailAttribute),
    fullName: textOf(entry, nameAttribute),
    groups: [...textsOf(entry, "memberOf").flatMap(namesOfGroup), ...(await groupsOf(client, directory, entry.dn, name))],
  }
}

/** A distinguished name, and the common name at its beginning. */
const namesOfGroup = (dn: string): readonly string[] => [dn, ...(/^cn=([^,+\\]+)/i.exec(dn)?.slice(1) ?? [])]

async function groupsOf(client: Client, { groupBase, groupFilter = GROUP_FILTER }: Directory, dn: string, login: string) {
  if (groupBase === undefined) return []
  const { searchEntries } = await client.search(groupBase, {
    scope: "sub",
    filter: filled(groupFilter, { dn, login }),
    sizeLimit: MOST_GROUPS,
    timeLimit: CALL_MS / 1_000,
    attributes: ["cn"],
  })
  return searchEntries.flatMap((entry) => [entry.dn, ...textsOf(entry, "cn")])
}

async function binds(client: Client, dn: string, password: string): Promise<boolean> {
  try {
    await client.bind(dn, password)
    return true
  } catch (error) {
    if (error instanceof InvalidCredentialsError) return false
    throw error
  }
}
