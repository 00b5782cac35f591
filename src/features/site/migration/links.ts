import { findRepositoryById, findUserById } from "../../../access/store.ts"
import { Refusal } from "../../../core/errors.ts"
import type { Services } from "../../../core/services.ts"
import { type StoredFile, storeFile } from "../../code/attachments/files.ts"
import { requireName } from "../../code/attachments/names.ts"
import { insertAttachment } from "../../code/attachments/store.ts"
import { RemoteRefused, RemoteTrouble } from "../../code/mirrors/remote.ts"
import type { Bringing } from "./bringing.ts"
import { findComments, findFiles, findNumbers, findTexts, type ImportedText, putText, type TextKind } from "./links-store.ts"
import { nameOfFile, openFile } from "./origin-files.ts"
import type { On } from "./origins/model.ts"
import type { Fault, Origin, Place } from "./origins/origin.ts"
import { putItem } from "./writers/items-store.ts"

/*
 * What texts that were brought say of the other server: addresses of its issues, comments, code and files. They are rewritten once all is here, since texts name
 * what comes later too. Files are fetched and stored as attachments.
 */

const TEXTS = 50
/** An address in a text ends at a space, a quotation mark or a bracket, and punctuation at its end belongs to the sentence. */
const ADDRESSES = /https?:\/\/[^\s<>"'`)\]}|\\^]+/g
const PUNCTUATION = /[.,;:!?]+$/

const addressesIn = (content: string): readonly string[] =>
  [...content.matchAll(ADDRESSES)].map(([address]) => address.replace(PUNCTUATION, ""))

/** A batch of rewritten texts, and how it is written. */
export interface Rewritten {
  /** The key of the last text that was looked at; undefined behind the last. */
  readonly next: string | undefined
  readonly faults: readonly Fault[]
  readonly write: (tx: Parameters<typeof putText>[0]) => Promise<void>
}

/** Rewrites the next texts of a kind. Throws RemoteTrouble where the other server does not give a file now. */
export async function rewriteTexts(bringing: Bringing, kind: TextKind, after: string, signal: AbortSignal): Promise<Rewritten> {
  const { services, repository, origin } = bringing
  const db = services.database.read
  const texts = await findTexts(db, { repositoryId: repository.id, kind, after, limit: TEXTS })
  const places = new Map<string, Place>()
  for (const { content } of texts)
    for (const address of addressesIn(origin.absolute(content))) {
      const place = origin.placeOf(address)
      if (place) places.set(address, place)
    }
  const here = await findHere(bringing, places)
  const fetched: Fetched[] = []
  const faults: Fault[] = []
  for (const text of texts)
    for (const address of new Set(addressesIn(origin.absolute(text.content)))) {
      if (places.get(address)?.kind !== "file" || here.has(address)) continue
      signal.throwIfAborted()
      const file = await fetchFile(bringing, address, text, signal)
      if ("why" in file) faults.push(file)
      else {
        fetched.push(file)
        here.set(address, `${services.site.rootUrl}/attachments/${file.stored.uuid}`)
      }
    }
  const numbers = await findMarked(bringing, texts)
  const written = texts.flatMap(({ id, content }) => {
    const after = replaceMarks(replaceAddresses(origin.absolute(content), here), origin, numbers)
    return id !== 0 && after !== content ? [{ id, content: after }] : []
  })
  return {
    next: texts.length < TEXTS ? undefined : texts.at(-1)?.key,
    faults,
    async write(tx) {
      for (const file of fetched) {
        const row = await insertAttachment.first(tx, {
          uuid: file.stored.uuid,
          repositoryId: repository.id,
          issueId: file.of.issueId,
          commentId: file.of.commentId,
          releaseId: file.of.releaseId,
          uploaderId: bringing.imported.doer_id,
          name: file.name,
          size: file.stored.size,
          now: services.now(),
        })
        if (row) await putItem(tx, { repositoryId: repository.id, kind: "files" }, file.address, { localId: row.id, version: 0 })
      }
      for (const { id, content } of written) await putText(tx, kind, id, content)
    },
  }
}

const replaceAddresses = (content: string, here: ReadonlyMap<string, string>): string =>
  content.replace(ADDRESSES, (found) => {
    const address = found.replace(PUNCTUATION, "")
    return (here.get(address) ?? address) + found.slice(address.length)
  })

/** The addresses here of what is here already. */
async function findHere({ services, repository }: Bringing, places: ReadonlyMap<string, Place>): Promise<Map<string, string>> {
  const db = services.database.read
  const issues = [...places.values()].flatMap((place) => (place.kind === "issue" ? [place] : []))
  const numbers = new Map<string, { readonly number: number; readonly list: string }>()
  for (const row of await findNumbers(db, repository.id, [...new Set(issues.map(({ number }) => String(number)))]))
    numbers.set(`${row.kind} ${row.source_key}`, { number: row.number, list: row.is_pull === 1 ? "pulls" : "issues" })
  const comments = new Map(
    (await findComments(db, repository.id, [...new Set(issues.flatMap(({ comment }) => comment ?? []))])).map((row) => [
      row.source_key,
      row.local_id,
    ]),
  )
  const files = new Map((await findFiles(db, repository.id, [...places.keys()])).map((row) => [row.source_key, row.uuid]))
  const home = await homeOf(services, repository.id)
  const here = new Map<string, string>()
  for (const [address, place] of places) {
    const file = files.get(address)
    if (file !== undefined) here.set(address, `${services.site.rootUrl}/attachments/${file}`)
    if (place.kind === "code") here.set(address, `${home}/${place.rest}`)
    if (place.kind !== "issue") continue
    const found = numberIn(numbers, place)
    const comment = place.comment === undefined ? undefined : comments.get(place.comment)
    if (found) here.set(address, `${home}/${found.list}/${found.number}${comment === undefined ? "" : `#issuecomment-${comment}`}`)
  }
  return here
}

const numberIn = <T>(numbers: ReadonlyMap<string, T>, { of, number }: On): T | undefined =>
  of === undefined ? (numbers.get(`issues ${number}`) ?? numbers.get(`pull_requests ${number}`)) : numbers.get(`${of} ${number}`)

/** The address of the repository's page. */
async function homeOf(services: Services, repositoryId: number): Promise<string> {
  const db = services.database.read
  const repository = await findRepositoryById.first(db, { id: repositoryId })
  const owner = repository && (await findUserById.first(db, { id: repository.owner_id }))
  return `${services.site.rootUrl}/${owner?.name}/${repository?.name}`
}

interface Fetched {
  readonly address: string
  readonly name: string
  readonly of: ImportedText
  readonly stored: StoredFile
}

/** Stores a file that a text shows; why not, where there is none, or the site does not take it. */
async function fetchFile({ services, origin }: Bringing, address: string, of: ImportedText, signal: AbortSignal): Promise<Fetched | Fault> {
  const { enabled, types, maxBytes } = services.config.attachments
  if (!enabled) return { key: address, why: "this site takes no attachments" }
  try {
    const content = await openFile(services, origin, address, signal)
    if (!content) return { key: address, why: "the server does not have this file any more" }
    try {
      const name = requireName(types, "name", await nameOfFile(origin, address, content))
      return { address, name, of, stored: await storeFile(services, content, maxBytes) }
    } finally {
      content.destroy()
    }
  } catch (error) {
    signal.throwIfAborted()
    // One file that can't be had must not keep all others waiting; an import that is repeated tries it again.
    if (error instanceof Refusal || error instanceof RemoteRefused || error instanceof RemoteTrouble || error instanceof URIError)
      return { key: address, why: error.message }
    throw error
  }
}

const MARKED = /(?<![\w&/!#])([!#])(\d{1,10})\b/g

/** The numbers here of what texts name by a mark and a number, where the other server counts apart what is counted together here. */
async function findMarked(
  { services, repository, origin }: Bringing,
  texts: readonly ImportedText[],
): Promise<ReadonlyMap<string, number>> {
  const { marks } = origin
  if (!marks) return new Map()
  const keys = new Set(texts.flatMap(({ content }) => [...content.matchAll(MARKED)].flatMap(([, , key]) => key ?? [])))
  const rows = await findNumbers(services.database.read, repository.id, [...keys])
  return new Map(rows.map(({ kind, source_key, number }) => [`${kind} ${source_key}`, number]))
}

const replaceMarks = (content: string, { marks }: Origin, numbers: ReadonlyMap<string, number>): string =>
  marks === undefined
    ? content
    : content.replace(MARKED, (found, mark: string, key: string) => {
        const number = numbers.get(`${marks[mark]} ${key}`)
        return number === undefined ? found : `#${number}`
      })
