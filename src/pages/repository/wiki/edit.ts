import { Mode } from "../../../access/modes.ts"
import { requireUnarchived } from "../../../access/policies/repositories.ts"
import type { Me } from "../../../access/policies/site.ts"
import { onWiki, onWikiToEdit, wikiMode } from "../../../access/policies/wiki.ts"
import { memberOf } from "../../../core/check.ts"
import { Refusal, refuse } from "../../../core/errors.ts"
import { type File, file } from "../../../core/file.ts"
import { form, type Typed } from "../../../core/forms/form.ts"
import { type Content, type Html, html } from "../../../core/html.ts"
import { type Text, t } from "../../../core/language/message.ts"
import { named, type Request } from "../../../core/operation.ts"
import { type Draft, type Page, page, type Shown, sentText } from "../../../core/page.ts"
import { fileContent } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"
import { unixLines } from "../../../core/text/lines.ts"
import type { OnCode } from "../../../features/code/contents/locate.ts"
import { attachToWiki, MOST_BYTES_OF_WIKI_FILE, wikiFile } from "../../../features/code/wiki/files.ts"
import { titleOfFile } from "../../../features/code/wiki/names.ts"
import { wikiOperations } from "../../../features/code/wiki/operations.ts"
import { MOST_BYTES } from "../../../features/code/wiki/records.ts"
import { openView, pageAt, pageFiles } from "../../../features/code/wiki/view.ts"
import { markdownTo } from "../../../features/planning/attachments/keep.ts"
import { isObjectId } from "../../../git/index.ts"
import { path, repositoryPath } from "../../../web/address.ts"
import { notice } from "../../../web/components.ts"
import { type Field, formView } from "../../../web/form.ts"
import { icon } from "../../../web/icon.ts"
import { changesView } from "../../parts/diffs/changes-view.ts"
import { renderText } from "../../parts/texts.ts"
import { editorTools } from "../code/edit-tools.ts"
import { repositoryPage } from "../frame.ts"

/** Pages of a wiki are written, renamed and deleted. */

/** An escaped byte takes three in a form. */
const LARGEST_FORM = 3 * MOST_BYTES + 65_536

const access = onWikiToEdit
type Call = OnCode & Me & Request

/** Whether the reader is shown how to change the wiki. */
export const mayWriteWiki = (call: OnCode): boolean =>
  call.actor.kind === "user" && call.repository.is_archived === 0 && call.repository.is_mirror === 0 && wikiMode(call) >= Mode.write

// --- the pages ----------------------------------------------------------------------------------------------------------------------

const write: Page = page({
  id: "wiki.new",
  address: "GET /{owner}/{repo}/wiki/_new",
  access,
  query: { title: Type.Optional(Type.String({ maxLength: 255 })) },
  answer: (call) => editor(call, undefined, { draft: call.draft, title: call.query.title ?? "" }),
})

const edit: Page = page({
  id: "wiki.editor",
  address: "GET /{owner}/{repo}/wiki/_edit/{pageName}",
  access,
  changesWithTime: true,
  answer: async (call) => {
    const found = await pageNow(call, call.path.pageName)
    // What was typed is shown again, also where someone has deleted the page meanwhile.
    if (!found && !call.draft) throw refuse.notFound()
    return editor(call, found, { draft: call.draft })
  },
})

const fields = ["address", "title", "content", "message", "sha", "ends"] as const
const texts = Type.Optional(Type.Array(Type.String()))
const contents = Type.Optional(Type.Array(fileContent()))

/** Shows the form again with what was typed, and the text as it will look or what it changes. Changes nothing. */
const preview: Page = page({
  id: "wiki.preview",
  address: "POST /{owner}/{repo}/wiki/_preview",
  access,
  bytes: LARGEST_FORM,
  query: { ...Object.fromEntries(fields.map((name) => [name, texts])), content: contents, look: texts },
  answer: async (call) => {
    const typed: Typed = call.query
    const address = typed["address"]?.[0] ?? ""
    const found = address === "" ? undefined : await pageNow(call, address)
    return { ...(await editor(call, found, { typed, look: typed["look"]?.[0] ?? "" })), isPrivate: true }
  },
})

const confirmDelete: Page = page({
  id: "wiki.confirmDelete",
  address: "GET /{owner}/{repo}/wiki/_delete/{pageName}",
  access,
  changesWithTime: true,
  answer: async (call) => {
    const found = await pageNow(call, call.path.pageName)
    if (!found) throw refuse.notFound()
    return shownIn(
      call,
      t("Delete {title}", { title: found.title }),
      html`
        <h1>Delete <bdi>${found.title}</bdi></h1>
        <p class="muted">Earlier versions stay in the history of the wiki.</p>
        ${formView(remove, {
          path: call.path,
          draft: call.draft,
          look: "danger",
          submit: t("Delete page"),
          beside: html`<a class="button quiet" href="${repositoryPath(call)}/wiki/${found.address}">Cancel</a>`,
        })}
      `,
    )
  },
})

/** What an older version would change of the page, and the form that brings it back. */
const older: Page = page({
  id: "wiki.older",
  address: "GET /{owner}/{repo}/wiki/_revert/{pageName}",
  access,
  changesWithTime: true,
  query: { revision: Type.Optional(Type.String()) },
  answer: async (call) => {
    const { draft } = call
    const revision = draft?.typed["revision"]?.[0] ?? call.query.revision ?? ""
    const found = await pageNow(call, call.path.pageName)
    const before = await contentThen(call, call.path.pageName, revision)
    if (!found || !before) throw refuse.notFound()
    const then = unixLines(before.toString("utf8"))
    const short = revision.slice(0, 10)
    const isStale = draft?.refusal.field === "sha"
    return shownIn(
      call,
      t("{title} as of {short}", { title: found.title, short }),
      html`
        <h1><bdi>${found.title}</bdi> <span class="muted">as of <span class="mono">${short}</span></span></h1>
        ${
          isStale &&
          notice("warn", t("This page has changed since you opened it. This is how the older version differs from the current one."))
        }
        <p class="muted">Reverting to this version makes these changes:</p>
        ${await changesView(call.services, "page.md", [found.text, then])}
        ${formView(bringBack, {
          path: call.path,
          draft: isStale ? undefined : draft,
          submit: html`${icon("history")}Revert to this version`,
          beside: html`<a class="button quiet" href="${repositoryPath(call)}/wiki/${found.address}?action=_revision">Cancel</a>`,
          fields: [
            { kind: "line", name: "message", label: t("Edit message"), value: `Revert to the version of ${short}`, maxlength: 1000 },
            { kind: "hidden", name: "content_base64", value: before.toString("base64") },
            { kind: "hidden", name: "sha", value: found.sha },
            { kind: "hidden", name: "revision", value: revision },
          ],
        })}
      `,
    )
  },
})

// --- the forms ----------------------------------------------------------------------------------------------------------------------

const saves = {
  also: ["content", "ends", "address"],
  body: (made: Readonly<Record<string, unknown>>, { content, ends }: Typed): Readonly<Record<string, unknown>> => {
    const text = unixLines(content?.[0])
    const ended = ends?.[0] === "crlf" ? text?.replaceAll("\n", "\r\n") : text
    return ended === undefined ? made : { ...made, content_base64: Buffer.from(ended).toString("base64") }
  },
  bytes: LARGEST_FORM,
  once: true,
  done: t("Saved."),
  to: ({ path: { owner, repo }, record }: { readonly path: { readonly owner: string; readonly repo: string }; readonly record: unknown }) =>
    `${path(owner, repo)}/wiki/${String(memberOf(record, "sub_url"))}`,
} as const

const create = form({
  ...saves,
  id: "wiki.create",
  address: "POST /{owner}/{repo}/wiki/_new",
  does: named(wikiOperations, "repoCreateWikiPage"),
  on: write,
  takes: ["title", "message"],
})

const save = form({
  ...saves,
  id: "wiki.save",
  address: "POST /{owner}/{repo}/wiki/_edit/{pageName}",
  does: named(wikiOperations, "repoEditWikiPage"),
  on: edit,
  takes: ["title", "message", "sha"],
  // The page may be gone meanwhile: a problem of the form.
  picks: (values) => values,
})

const bringBack = form({
  id: "wiki.bringBack",
  address: "POST /{owner}/{repo}/wiki/_revert/{pageName}",
  does: named(wikiOperations, "repoEditWikiPage"),
  on: older,
  takes: ["content_base64", "message", "sha"],
  also: ["revision"],
  bytes: LARGEST_FORM,
  once: true,
  done: t("Older version restored."),
  to: ({ path: { owner, repo }, record }) => `${path(owner, repo)}/wiki/${String(memberOf(record, "sub_url"))}`,
})

const remove = form({
  id: "wiki.delete",
  address: "POST /{owner}/{repo}/wiki/_delete/{pageName}",
  does: named(wikiOperations, "repoDeleteWikiPage"),
  on: confirmDelete,
  done: t("Page deleted."),
  to: ({ path: { owner, repo } }) => path(owner, repo, "wiki"),
})

// --- the views ----------------------------------------------------------------------------------------------------------------------

interface PageNow {
  readonly address: string
  readonly title: string
  readonly sha: string
  readonly text: string
  readonly ends: "lf" | "crlf"
}

/** The page at an address as it is now; undefined where there is none. Refuses `tooLarge`. */
async function pageNow(call: Call, address: string): Promise<PageNow | undefined> {
  requireUnarchived(call)
  try {
    const { repository, files } = await openView(call.services, call)
    const file = pageAt(files, address)
    if (!file) return undefined
    const { objects } = call.services.git
    if ((await objects.namedInfo(repository, file.id)).size > MOST_BYTES) throw refuse.tooLarge("the page has more than 1 MiB")
    const text = (await objects.readBlob(repository, file.id)).toString("utf8")
    return {
      address,
      title: titleOfFile(file.name),
      sha: file.id,
      text: unixLines(text),
      ends: text.includes("\r\n") ? "crlf" : "lf",
    }
  } catch (error) {
    if (error instanceof Refusal && error.kind === "notFound") return undefined
    throw error
  }
}

/** What a page had at a commit of the wiki's history; undefined where there is no such commit, or no such page in it. */
async function contentThen(call: Call, address: string, revision: string): Promise<Buffer | undefined> {
  const { git } = call.services
  const { repository, commit } = await openView(call.services, call)
  const id = isObjectId(revision, repository.format) ? revision : undefined
  if (id === undefined || (await git.objects.info(repository, id))?.type !== "commit") return undefined
  if (!(await git.history.isAncestor(repository, id, commit.id))) return undefined
  const { tree } = await git.objects.readCommit(repository, id)
  const file = pageAt(await pageFiles(git, repository, tree), address)
  if (!file) return undefined
  if ((await git.objects.namedInfo(repository, file.id)).size > MOST_BYTES) throw refuse.tooLarge("the page had more than 1 MiB")
  return git.objects.readBlob(repository, file.id)
}

const shownIn = (call: Call, title: Text, body: Content): Promise<Shown> =>
  repositoryPage(call, { tab: "wiki", title, unlisted: true, modules: ["editor"], body: html`${body}` })

interface Editing {
  readonly draft?: Draft | undefined
  /** What was typed, also without a refusal. */
  readonly typed?: Typed
  /** The button that was pressed: `preview` or `changes`. */
  readonly look?: string
  readonly title?: string
}

async function editor(call: Call, found: PageNow | undefined, { draft, look, title = "", ...more }: Editing): Promise<Shown> {
  requireUnarchived(call)
  const typed = more.typed ?? draft?.typed
  const one = (name: string): string | undefined => unixLines(typed?.[name]?.[0])
  const isStale = found !== undefined && draft?.refusal.field === "sha"
  const isGone = !found && (one("address") ?? "") !== ""
  const to = found ? save : create
  const before = found?.text ?? ""
  const record = { title: one("title") ?? found?.title ?? title, content: one("content") ?? before, message: one("message") ?? "" }
  const sha = (isStale ? undefined : one("sha")) || found?.sha || ""
  const at = `${repositoryPath(call)}/wiki`
  const changes = isStale || look === "changes" ? await changesView(call.services, "page.md", [before, record.content]) : undefined
  return shownIn(
    call,
    found ? t("Edit {title}", { title: found.title }) : t("New page"),
    html`
      <h1>${found ? html`Edit <bdi>${found.title}</bdi>` : t("New page")}</h1>
      ${isStale && [notice("warn", STALE), changes]}${isGone && notice("warn", GONE)}
      ${look && (await looked(call, look, record.content, changes))}
      ${formView(to, {
        path: { ...call.path, pageName: found?.address ?? "" },
        record,
        draft: isStale || isGone ? undefined : draft,
        name: "form editor",
        isLong: true,
        submit: t("Save page"),
        beside: html`
          ${
            found &&
            html`<button name="look" value="changes" formaction="${at}/_preview" formnovalidate>${icon("diff")}Show changes</button>`
          }
          <button name="look" value="preview" formaction="${at}/_preview" formnovalidate>${icon("eye")}Preview</button>
          <a class="button quiet" href="${at}${found && `/${found.address}`}">Cancel</a>
        `,
        fields: [
          ...fieldsFor(to, at, { base: sha, isTyped: typed !== undefined }),
          { kind: "hidden", name: "address", value: found?.address ?? "" },
          { kind: "hidden", name: "sha", value: sha },
          { kind: "hidden", name: "ends", value: one("ends") ?? found?.ends ?? "lf" },
        ],
      })}
    `,
  )
}

/** What a button asks to see of the text before it is saved. */
const looked = async (call: Call, look: string, text: string, changes: Content): Promise<Html> =>
  look === "preview"
    ? html`
      <section class="card" id="looked" aria-labelledby="look">
        <div class="head">
          <h2 id="look">Preview</h2>
        </div>
        <div class="inside">${await renderText(call, text, { style: "wiki" })}</div>
      </section>
    `
    : html`
      <section class="stack" id="looked" aria-labelledby="look">
        <h2 id="look">Changes</h2>
        ${changes}
      </section>
    `

const STALE = t(
  "This page was changed by someone else since you started editing. Below are your changes to the current version; saving replaces it.",
)
const GONE = t("This page was deleted or renamed since you started editing. Saving creates a new page.")

const fieldsFor = (to: Page, at: string, drafted: { readonly base: string; readonly isTyped: boolean }): readonly Field[] => [
  {
    kind: "line",
    name: "title",
    label: t("Title"),
    required: true,
    maxlength: 255,
    hint: t("Home is the start page; _Sidebar and _Footer are shown on all pages."),
  },
  {
    kind: "text",
    name: "content",
    label: t("Text"),
    rows: 24,
    isCode: true,
    drafted,
    hint: t("Markdown is supported; [[Page]] links to another page."),
  },
  {
    kind: "content",
    content: editorTools({
      field: `${to.id.replaceAll(".", "-")}-content`,
      style: {},
      name: "page.md",
      isMarkdown: true,
      pictures: `${at}/_attach`,
    }),
  },
  { kind: "line", name: "message", label: t("Edit message"), maxlength: 1000 },
]

// --- files --------------------------------------------------------------------------------------------------------------------------

/** Takes a file that is dropped into a text, and answers with what stands for it there. */
const attach: Page = page({
  id: "wiki.attach",
  address: "POST /{owner}/{repo}/wiki/_attach",
  access,
  bytes: MOST_BYTES_OF_WIKI_FILE + 65_536,
  receives: { field: "attachment", plain: false },
  answer: async ({ services, me, upload, ...on }) => {
    if (!upload) throw refuse.badRequest()
    const file = await attachToWiki({ services, me, on }, upload)
    return sentText("application/json;charset=utf-8", JSON.stringify({ markdown: markdownTo(upload.fileName, file) }))
  },
})

/** What the texts of a wiki show beside themselves. */
export const wikiFiles: readonly File[] = [
  file({
    id: "wiki.raw",
    address: "GET /{owner}/{repo}/wiki/raw/{filepath}",
    access: onWiki,
    programs: ["repository"],
    answer: (call) => wikiFile(call.services, call, call.path.filepath),
  }),
]

export const wikiEditPages: readonly Page[] = [write, edit, preview, confirmDelete, older, create, save, bringBack, remove, attach]
