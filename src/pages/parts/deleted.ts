import type { Repository } from "../../access/permission.ts"
import type { Deleted } from "../../access/policies/deletions.ts"
import { memberOf } from "../../core/check.ts"
import type { DeletionKind } from "../../core/database/tables/undo.ts"
import { refuse } from "../../core/errors.ts"
import { form } from "../../core/forms/form.ts"
import { type Content, type Html, html } from "../../core/html.ts"
import { type Text, t } from "../../core/language/message.ts"
import type { Access, Operation, Request } from "../../core/operation.ts"
import { type Page, type PageCall, page, type Shown } from "../../core/page.ts"
import type { Services } from "../../core/services.ts"
import { RESTORABLE_UNTIL } from "../../features/code/deletions/answer.ts"
import { type DeletionFilter, findLast } from "../../features/code/deletions/store.ts"
import type { DeletedThing } from "../../features/site/undo/records.ts"
import { empty, notice, pager, person } from "../../web/components.ts"
import { formButton, formView } from "../../web/form.ts"
import { icon } from "../../web/icon.ts"
import type { IconName } from "../../web/icon-names.ts"
import { problem } from "../../web/problem.ts"
import { bytes, duration, time } from "../../web/time.ts"

/** What was deleted and can be restored: the same page for a repository, an organisation, a person and the site; and the button that takes a deletion back at once. */

const LOOKS: Readonly<Record<DeletionKind, readonly [IconName, Text]>> = {
  issue: ["issue-opened", t("Issue")],
  pull: ["git-pull-request", t("Pull request")],
  comment: ["comment", t("Comment")],
  branch: ["git-branch", t("Branch")],
  label: ["tag", t("Label")],
  milestone: ["milestone", t("Milestone")],
  release: ["package", t("Release")],
  repository: ["repo", t("Repository")],
}

const secondsOf = (moment: string): number => Math.floor(Date.parse(moment) / 1000)

/** A list of them; `actions` are what can be done with each. */
function deletedList(
  { config, now }: Pick<Services, "config" | "now">,
  records: readonly DeletedThing[],
  actions: (record: DeletedThing) => Content,
): Html {
  if (config.undo.keepSeconds === 0) return notice("info", t("This site keeps nothing of what is deleted."))
  if (records.length === 0) return empty("trash", t("Nothing to restore"), t("What is deleted is listed here until its time is over."))
  return html`<ul class="rows">${records.map((record) => row(record, actions(record), now()))}</ul>`
}

function row(record: DeletedThing, actions: Content, now: number): Html {
  const [name, kind] = LOOKS[record.kind]
  const who = person(record.deleted_by && { name: record.deleted_by.login })
  const [deleted, until] = [secondsOf(record.deleted_at), secondsOf(record.restorable_until)]
  return html`
    <li>
      ${icon(name)}
      <div class="main">
        <span class="title" dir="auto">
          ${kind} <bdi>${record.name}</bdi> ${record.number > 0 && html`<span class="muted">#${record.number}</span>`}
        </span>
        <span class="muted small">
          Deleted by ${who} ${time(deleted, now)}, gone for good ${time(until, now)}
        </span>
        <div class="bar">${actions}</div>
      </div>
    </li>
  `
}

/** Whose deletions a page lists, and what differs by that. */
interface Place<Address extends string, Found> {
  /** Its forms are `ID.restoreDeleted`, `ID.purgeDeleted` and, where it has one, `ID.undoDelete`. */
  readonly id: string
  readonly address: Address
  readonly access: Access<Found>
  readonly title: Text
  readonly about: Text
  readonly list: (call: Called<Found>) => Omit<DeletionFilter, "since">
  readonly frame: (call: Called<Found>, shown: { readonly title: Text; readonly body: Html }) => Shown | Promise<Shown>
  /** None where others restore it. */
  readonly restore?: Operation
  readonly purge: Operation
  /** Whether the caller may purge; those who see the page may unless said otherwise. */
  readonly mayPurge?: (call: Called<Found>) => boolean
}

type Called<Found> = PageCall<string, Found, Record<never, never>>

/** The page of a place, and its forms. */
export function deletedPages<Address extends `/${string}`, Found extends object>(
  place: Place<Address, Found>,
): { readonly deleted: Page; readonly pages: readonly Page[] } {
  const { id, address, access, title } = place
  const deleted: Page = page({
    id: `${id}.deleted`,
    address: `GET ${String(address)}`,
    access,
    changesWithTime: true,
    rows: 50,
    answer: async (call) => place.frame(call, { title, body: await deletedView(call, place, { restore, purge }) }),
  })
  const restore =
    place.restore &&
    form({
      id: `${id}.restoreDeleted`,
      address: `POST ${address}/{id}/restore`,
      does: place.restore,
      on: deleted,
      takes: place.restore.body ? ["name"] : [],
      done: t("Restored."),
      to: whereRestored,
    })
  const purge = form({
    id: `${id}.purgeDeleted`,
    address: `POST ${address}/{id}/purge`,
    does: place.purge,
    on: deleted,
    done: t("Deleted for good."),
  })
  return { deleted, pages: [deleted, ...(restore ? [restore] : []), purge] }
}

async function deletedView<Found>(
  call: Called<Found>,
  { id, title, about, list, restore: restores, mayPurge }: Place<string, Found>,
  { restore, purge }: { readonly restore: Page | undefined; readonly purge: Page },
): Promise<Html> {
  const { db, services, page: rows, reader, draft } = call
  const { listDeleted } = await import("../../features/site/undo/lists.ts")
  const { records, total } = await listDeleted(db, services, list(call), rows)
  const actions = (record: DeletedThing): Content => {
    const to = { ...call.path, id: String(record.id) }
    const name = { kind: "line", name: "name", label: t("Name"), value: record.name, required: true, maxlength: 100 } as const
    // Only a repository may need another name.
    const isNamed = restores?.body !== undefined && record.kind === "repository"
    return html`
      ${restore && isNamed && formView(restore, { path: to, draft, submit: t("Restore"), look: "small", key: to.id, fields: [name] })}
      ${restore && !isNamed && formButton(restore, to, t("Restore"), {}, draft)}
      ${(mayPurge?.(call) ?? true) && formButton(purge, to, t("Delete for good"), {}, draft)}
    `
  }
  return html`
    <h1>${title}</h1>
    <p class="muted">${about}</p>
    ${draft?.form === `${id}.undoDelete` && problem(draft.refusal)}
    ${deletedList(services, records, actions)}
    ${pager(reader.url, rows, total)}
  `
}

type WithSettings = { readonly services: Pick<Services, "config"> }

/** What a page says before something is deleted. A repository is kept with its files, of which its owner has so much room. */
export function beforeDeletion({ services: { config } }: WithSettings, repository?: Sized): Html {
  const { keepSeconds, maxBytes, ownerFileBytes } = config.undo
  if (keepSeconds === 0) return html`<p>This cannot be undone.</p>`
  const [time, size] = [duration(keepSeconds), bytes(maxBytes)]
  const { git_size = 0, lfs_size = 0, stars_count = 0, watchers_count = 0 } = repository ?? {}
  const isLarge = git_size + lfs_size > ownerFileBytes || (stars_count + watchers_count) * ROW_BYTES > maxBytes
  const within = repository
    ? t("It can be restored for {time}.", { time })
    : t("It can be restored for {time}, unless it has more than {size} of text.", { time, size })
  return html`<p>${isLarge ? t("It is larger than what this site keeps, and can’t be restored.") : within}</p>`
}

type Sized = Pick<Repository, "git_size" | "lfs_size" | "stars_count" | "watchers_count">

/** What a star or a watch takes where it is kept, about. */
const ROW_BYTES = 60

type Answered = Readonly<Record<string, string>>

/** Whether the answer to a deletion says that it can be restored. */
export const isKept = (headers: Answered): boolean => headers[RESTORABLE_UNTIL] !== "never"

/** What a form that deletes something says afterwards; where it is not kept, that it is gone. */
export const unlessKept =
  (done: Text) =>
  (_: unknown, headers: Answered): Text =>
    isKept(headers) ? done : t("Deleted for good: it can’t be restored.")

/** What a form that deletes something of a repository offers afterwards. */
export const undoDeletion = (kind: DeletionKind) => ({
  by: { id: "repository.undoDelete" },
  path: ({ owner = "", repo = "" }: Readonly<Record<string, string>>) => ({ owner, repo }),
  fields: ({ headers }: { readonly headers: Answered }) => (isKept(headers) ? { kind } : undefined),
})

/** What the caller deleted last of a kind, of this owner. Refuses `notFound` where that can't be restored any more. */
export async function lastDeleted({ db, actor, services }: Request, ownerId: number, kind: string): Promise<Deleted> {
  const { keepSeconds } = services.config.undo
  const since = services.now() - keepSeconds
  const found =
    actor.kind === "user" && keepSeconds > 0 ? await findLast.first(db, { ownerId, actorId: actor.user.id, kind, since }) : undefined
  if (!found) throw refuse.notFound()
  return found
}

/** Where what was restored is. */
export function whereRestored({ record }: { readonly record: unknown }): string {
  const { pathname, hash } = new URL(String(memberOf(record, "html_url")))
  return pathname + hash
}
