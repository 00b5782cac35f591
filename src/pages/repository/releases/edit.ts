import { onRepositoryUnit } from "../../../access/policies/repositories.ts"
import type { Me } from "../../../access/policies/site.ts"
import { Refusal } from "../../../core/errors.ts"
import { form, type Typed } from "../../../core/forms/form.ts"
import { flagged, type Html, html } from "../../../core/html.ts"
import { t } from "../../../core/language/message.ts"
import { named, type Request } from "../../../core/operation.ts"
import { type Draft, type Page, page, type Shown } from "../../../core/page.ts"
import Type from "../../../core/schema.ts"
import { escapePath } from "../../../core/text/escape-path.ts"
import { unixLines } from "../../../core/text/lines.ts"
import { comparedCommits, readComparison } from "../../../features/code/commits/compare.ts"
import type { OnCode } from "../../../features/code/contents/locate.ts"
import { locateReleaseOfTag } from "../../../features/code/releases/locate.ts"
import { releaseOperations } from "../../../features/code/releases/operations.ts"
import { assetPath, type ReleaseView, releaseUrl, viewRelease } from "../../../features/code/releases/present.ts"
import { listReleases, type Release } from "../../../features/code/releases/store.ts"
import { path, repositoryPath } from "../../../web/address.ts"
import { empty } from "../../../web/components.ts"
import { type Field, formButton, formView } from "../../../web/form.ts"
import { icon } from "../../../web/icon.ts"
import { bytes } from "../../../web/time.ts"
import { subjectOf } from "../../parts/code/commits-view.ts"
import { beforeDeletion, undoDeletion, unlessKept } from "../../parts/deleted.ts"
import { repositoryPage } from "../frame.ts"

/** Releases are written, published, changed and deleted, and get their files. */

const access = onRepositoryUnit("releases", "write")
const text = Type.Optional(Type.String({ maxLength: 1000 }))
const LARGEST_NOTES = 1024 * 1024

type Call = OnCode & Me & Request

// --- the pages ----------------------------------------------------------------------------------------------------------------------

const create: Page = page({
  id: "releases.new",
  address: "GET /{owner}/{repo}/releases/new",
  access,
  query: { tag: text, target: text, title: text, body: Type.Optional(Type.String({ maxLength: 100_000 })) },
  answer: (call) => {
    const { tag = "", target = "", title = "", body = "" } = call.query
    const target_commitish = target || call.repository.default_branch
    return writePage(call, { draft: call.draft, record: { tag_name: tag, target_commitish, name: title, body } })
  },
})

const edit: Page = page({
  id: "releases.edit",
  address: "GET /{owner}/{repo}/releases/edit/{tag}",
  access,
  answer: async (call) => {
    const view = await viewRelease(call.db, await locateReleaseOfTag(call, call.path.tag))
    return writePage(call, { draft: call.draft, view, record: valuesOf(view.release) })
  },
})

const fields = ["tag", "tag_name", "target_commitish", "tag_message", "name", "body", "prerelease"] as const

const texts = Type.Optional(Type.Array(Type.String()))

/** Shows the form again with what was typed, and with notes made of what was committed. Changes nothing. */
const preview: Page = page({
  id: "releases.preview",
  address: "POST /{owner}/{repo}/releases/preview",
  access,
  bytes: LARGEST_NOTES,
  query: { ...Object.fromEntries(fields.map((name) => [name, texts])), body: texts },
  answer: async (call) => {
    const typed: Typed = call.query
    const one = (name: string): string => unixLines(typed[name]?.[0]) ?? ""
    const view = one("tag") === "" ? undefined : await viewRelease(call.db, await locateReleaseOfTag(call, one("tag")))
    const notes = await notesOf(call, one("tag_name"), one("target_commitish"))
    const body = [one("body"), notes].filter((part) => part !== "").join("\n\n")
    const record = { ...Object.fromEntries(fields.map((name) => [name, one(name)])), body }
    return { ...(await writePage(call, { view, record })), isPrivate: true }
  },
})

// --- the forms ----------------------------------------------------------------------------------------------------------------------

const leadOn = ({
  path: { owner, repo },
  field,
}: {
  readonly path: { readonly owner: string; readonly repo: string }
  readonly field: (name: string) => string
}): string => `${path(owner, repo)}/releases/${field("draft") === "true" ? "edit" : "tag"}/${escapePath(field("tag_name"))}`

const publish = form({
  id: "releases.create",
  address: "POST /{owner}/{repo}/releases/new",
  does: named(releaseOperations, "repoCreateRelease"),
  on: create,
  takes: ["tag_name", "target_commitish", "tag_message", "name", "body", "draft", "prerelease"],
  also: ["tag"],
  // The target may be missing: a problem of the form.
  picks: (values) => values,
  bytes: LARGEST_NOTES,
  once: true,
  done: t("Saved."),
  to: leadOn,
})

const byId = (values: Readonly<Record<string, string>>, field: (name: string) => string) => ({ ...values, id: field("id") })

const change = form({
  id: "releases.change",
  address: "POST /{owner}/{repo}/releases/edit/{tag}",
  does: named(releaseOperations, "repoEditRelease"),
  on: edit,
  reads: named(releaseOperations, "repoGetRelease"),
  guards: ["name", "body"],
  takes: ["tag_name", "target_commitish", "name", "body", "draft", "prerelease"],
  also: ["id", "tag"],
  picks: byId,
  // To the operation an empty text is none; a blank one empties.
  body: (made) => ({ ...made, name: made["name"] || " ", body: made["body"] || " " }),
  bytes: LARGEST_NOTES,
  done: t("Saved."),
  to: leadOn,
})

const remove = form({
  id: "releases.delete",
  address: "POST /{owner}/{repo}/releases/delete/{tag}",
  does: named(releaseOperations, "repoDeleteReleaseByTag"),
  on: edit,
  confirms: ({ tag = "" }) => tag,
  done: unlessKept(t("Release deleted. Its tag stays.")),
  undo: undoDeletion("release"),
  to: ({ path: { owner, repo } }) => path(owner, repo, "releases"),
})

const addFile = form({
  id: "releases.addFile",
  address: "POST /{owner}/{repo}/releases/assets/{tag}",
  does: named(releaseOperations, "repoCreateReleaseAttachment"),
  on: edit,
  also: ["id"],
  picks: byId,
  done: t("Added."),
})

const renameFile = form({
  id: "releases.renameFile",
  address: "POST /{owner}/{repo}/releases/rename-asset/{tag}",
  does: named(releaseOperations, "repoEditReleaseAttachment"),
  on: edit,
  takes: ["name"],
  also: ["id", "attachment_id"],
  picks: (values, field) => ({ ...values, id: field("id"), attachment_id: field("attachment_id") }),
  done: t("File renamed."),
})

const removeFile = form({
  id: "releases.removeFile",
  address: "POST /{owner}/{repo}/releases/remove-asset/{tag}",
  does: named(releaseOperations, "repoDeleteReleaseAttachment"),
  on: edit,
  also: ["id", "attachment_id"],
  picks: (values, field) => ({ ...values, id: field("id"), attachment_id: field("attachment_id") }),
  done: t("File deleted."),
})

export const releaseEditPages: readonly Page[] = [create, edit, preview, publish, change, remove, addFile, renameFile, removeFile]

// --- the views ----------------------------------------------------------------------------------------------------------------------

interface Writing {
  /** The release that is changed; a new one has none. */
  readonly view?: ReleaseView | undefined
  readonly record: object
  readonly draft?: Draft | undefined
}

/** The values of the fields. */
const valuesOf = ({ title, note, is_prerelease, ...release }: Release) => ({
  ...release,
  name: title,
  body: note,
  prerelease: is_prerelease === 1,
})

async function writePage(call: Call, { view, record, draft }: Writing): Promise<Shown> {
  const at = repositoryPath(call)
  const release = view?.release
  const isPublished = release?.is_draft === 0
  const values = { owner: call.owner.name, repo: call.repository.name, tag: release?.tag_name ?? "" }
  const title = release ? t("Edit {title}", { title: release.title || release.tag_name }) : t("New release")
  return repositoryPage(call, {
    tab: "releases",
    title,
    unlisted: true,
    modules: ["upload", "composer"],
    body: html`
      <div class="bar">
        <h1 dir="auto">${title}</h1>
        ${release?.is_draft === 1 && html`<span class="state badge draft">Draft</span>`}
        ${release && html`<a class="button small" href="${releaseUrl(at, release)}">${icon("rocket")}The release</a>`}
      </div>
      <div class="settings">
        ${formView(release ? change : publish, {
          path: values,
          record,
          draft,
          fields: fieldsOf(at, release),
          submit: isPublished ? t("Save") : t("Publish"),
          beside: html`
            ${!isPublished && html`<button name="draft" value="true">Save draft</button>`}
            <button formaction="${at}/releases/preview" formnovalidate>
              ${icon("git-commit")}Generate release notes
            </button>
          `,
        })}
        ${
          view
            ? html`
              ${filesView(call, view, values, draft)}
              <h2 id="delete">Delete</h2>
              <p>Its notes and files are deleted. The tag stays.</p>
              ${beforeDeletion(call)}
              ${formView(remove, { path: values, draft, look: "danger", confirm: view.release.tag_name, submit: t("Delete release") })}
            `
            : html`<p class="muted">You can add files once it is saved. Drafts are only visible to people with write access.</p>`
        }
      </div>
    `,
  })
}

const fieldsOf = (repository: string, release: Release | undefined): readonly Field[] => [
  {
    kind: "line",
    name: "tag_name",
    label: t("Tag"),
    required: true,
    maxlength: 240,
    hint: release?.is_draft === 0 ? "" : t("Choose an existing tag, or create a new tag when the release is published."),
  },
  { kind: "line", name: "target_commitish", label: t("Target"), hint: t("Where a new tag is created: a branch, a tag or a commit.") },
  release
    ? { kind: "hidden", name: "id", value: String(release.id) }
    : { kind: "line", name: "tag_message", label: t("Tag message"), hint: t("With a message, the tag is annotated.") },
  { kind: "hidden", name: "tag", value: release?.tag_name ?? "" },
  { kind: "line", name: "name", label: t("Title"), maxlength: 255 },
  { kind: "markdown", name: "body", label: t("Notes"), rows: 14, repository },
  { kind: "box", name: "prerelease", label: t("Pre-release"), hint: t("Not ready for production: never shown as the latest release.") },
]

function filesView(on: Call, { release, files }: ReleaseView, values: Readonly<Record<string, string>>, draft: Draft | undefined): Html {
  const hidden = { kind: "hidden", name: "id", value: String(release.id) } as const
  return html`
    <section aria-labelledby="files">
      <h2 id="files">Files</h2>
      <div id="asset-list">
        ${
          files.length === 0
            ? empty("package", t("No files attached"), t("Source code archives are added automatically."))
            : html`
              <ul class="rows">
                ${files.map(
                  (file) =>
                    html`
                      <li>
                        ${icon("package")}
                        <div class="main">
                          <a href="${assetPath(on, release, file)}"><bdi>${file.name}</bdi></a>
                        </div>
                        <span class="muted small nowrap">${bytes(file.size)}</span>
                        ${renameView(file, values, draft, hidden)}
                        ${formButton(removeFile, values, icon("trash", t("Delete {name}", { name: file.name })), {
                          id: hidden.value,
                          attachment_id: String(file.id),
                        })}
                      </li>
                    `,
                )}
              </ul>
            `
        }
      </div>
      <div class="drop" data-upload data-list="asset-list">
        ${formView(addFile, {
          path: values,
          draft,
          look: "plain",
          submit: html`${icon("upload")}Upload`,
          // The server reads what stands before the file.
          fields: [hidden, { kind: "file", name: "attachment", label: t("Add files") }],
        })}
      </div>
    </section>
  `
}

/** The form for the name of a file, which is open where it was refused. */
function renameView(
  { id, name }: ReleaseView["files"][number],
  values: Readonly<Record<string, string>>,
  draft: Draft | undefined,
  release: Field,
): Html {
  const refused = draft?.form === renameFile.id && draft.typed["attachment_id"]?.[0] === String(id) ? draft : undefined
  return html`
    <details ${flagged("open", refused !== undefined)}>
      <summary class="small">Rename<span class="hidden-text"> ${name}</span></summary>
      ${formView(renameFile, {
        path: values,
        draft: refused,
        key: id,
        look: "small",
        submit: t("Rename"),
        fields: [
          release,
          { kind: "hidden", name: "attachment_id", value: String(id) },
          { kind: "line", name: "name", label: t("Name"), value: name, required: true, maxlength: 255 },
        ],
      })}
    </details>
  `
}

/** The most commits that notes name. */
const MOST_COMMITS = 100

/** Notes of what was committed since the newest other release; a sentence where nothing was. */
async function notesOf(call: Call, tag: string, target: string): Promise<string> {
  const { services, db, actor, repository } = call
  const filter = { repositoryId: repository.id, drafts: false, draft: false, prerelease: undefined }
  const { rows } = await listReleases(db, filter, { number: 1, limit: 5, offset: 0 })
  const before = rows.find(({ tag_name }) => tag_name !== tag)
  if (!before) return "The first release."
  const compare = async (head: string) => {
    try {
      return await readComparison(services, db, actor, call, `${before.tag_name}...${head}`)
    } catch (error) {
      if (error instanceof Refusal) return undefined
      throw error
    }
  }
  // A tag that is there counts, and not where it was to be made.
  const found = (tag !== "" && (await compare(tag))) || (await compare(target || repository.default_branch))
  if (!found) return ""
  const { commits, total } = await comparedCommits(services, found)
  if (total === 0) return `No commits since ${before.tag_name}.`
  const lines = commits
    .filter(({ parents }) => parents.length < 2)
    .slice(0, MOST_COMMITS)
    .map((commit) => `- ${subjectOf(commit)} (${commit.id.slice(0, 10)})`)
  const all = `${services.site.rootUrl}${repositoryPath(call)}/compare/${escapePath(before.tag_name)}...${escapePath(tag || target)}`
  return [`## Changes since ${before.tag_name}`, "", ...lines, "", t("[All changes]({all})", { all })].join("\n")
}
