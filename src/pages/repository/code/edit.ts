import { findReachable, onRepositoryUnit } from "../../../access/policies/repositories.ts"
import { memberOf } from "../../../core/check.ts"
import { refuse } from "../../../core/errors.ts"
import { form, type Typed } from "../../../core/forms/form.ts"
import { type Content, type Html, html } from "../../../core/html.ts"
import { named } from "../../../core/operation.ts"
import { type Draft, moved, type Page, type PageAnswer, page, type Shown } from "../../../core/page.ts"
import { fileContent } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"
import { escapePath } from "../../../core/text/escape-path.ts"
import { unixLines } from "../../../core/text/lines.ts"
import { findBranch } from "../../../features/code/branches/store.ts"
import type { EditableText } from "../../../features/code/contents/editable.ts"
import { contentsWriteOperations } from "../../../features/code/contents/write-operations.ts"
import { forkOperations } from "../../../features/code/lifecycle/fork-operations.ts"
import { findForkOf } from "../../../features/code/repositories/store.ts"
import { path, repositoryPath, withQuery } from "../../../web/address.ts"
import { notice } from "../../../web/components.ts"
import { type Field, formView } from "../../../web/form.ts"
import { icon } from "../../../web/icon.ts"
import {
  MOST_BYTES,
  mayPush,
  mayWrite,
  type OnEditor,
  type Place,
  patchBranch,
  placeAgain,
  placeOf,
  readText,
} from "../../parts/code/edit-place.ts"
import { changesView } from "../../parts/diffs/changes-view.ts"
import { renderText } from "../../parts/texts.ts"
import { repositoryPage } from "../frame.ts"

/** Files are made, changed, renamed, deleted and uploaded on pages: each form makes one commit, on the branch or on a new one. */

const access = onRepositoryUnit("code", "read")
const text = Type.Optional(Type.String({ maxLength: 4096 }))
const proposal = { propose: Type.Optional(Type.Boolean()) }

/** An escaped byte takes three in a form. */
const LARGEST_FORM = 3 * MOST_BYTES + 262_144
const LARGEST_UPLOAD = 16 * 1024 * 1024
const MARKDOWN = /\.(?:md|markdown|mdown|mkd|livemd)$/i

// --- the pages ----------------------------------------------------------------------------------------------------------------------

const editFile: Page = page({
  id: "files.editor",
  address: "GET /{owner}/{repo}/_edit/{filepath}",
  access,
  changesWithTime: true,
  query: proposal,
  answer: async (call) => {
    const { draft, query } = call
    const place = await (draft ? placeAgain : placeOf)(call, call.path.filepath)
    if (!draft && (!place.entry || place.entry.mode === "40000" || place.entry.mode === "160000")) throw refuse.notFound()
    return (await ownFork(call, place, "_edit")) ?? editor(call, place, { to: saveEdit, draft, proposes: query.propose === true })
  },
})

const newFile: Page = page({
  id: "files.new",
  address: "GET /{owner}/{repo}/_new/{filepath}",
  access,
  changesWithTime: true,
  query: { ...proposal, filename: text, value: Type.Optional(Type.String({ maxLength: 100_000 })), message: text },
  answer: async (call) => {
    const { draft, query } = call
    const place = await (draft ? placeAgain : placeOf)(call, call.path.filepath)
    const given = { filename: query.filename, content: query.value, message: query.message }
    return (await ownFork(call, place, "_new")) ?? editor(call, place, { to: saveNew, draft, proposes: query.propose === true, given })
  },
})

const fields = ["path", "from_path", "sha", "content", "branch", "new_branch", "message", "description", "ends", "upstream"] as const
const texts = Type.Optional(Type.Array(Type.String()))
const contents = Type.Optional(Type.Array(fileContent()))

/** What the buttons beside that of the form lead to: the same form with what was typed, and what it would do. Changes nothing. */
const preview: Page = page({
  id: "files.preview",
  address: "POST /{owner}/{repo}/_preview/{filepath}",
  access,
  bytes: LARGEST_FORM,
  query: { ...Object.fromEntries(fields.map((name) => [name, texts])), content: contents, look: texts },
  answer: async (call): Promise<PageAnswer> => {
    const place = await placeAgain(call, call.path.filepath)
    const isFile = place.entry !== undefined && place.entry.mode !== "40000"
    const typed: Typed = call.query
    const shown = await editor(call, place, { to: isFile ? saveEdit : saveNew, typed, look: typed["look"]?.[0] ?? "" })
    return { ...shown, isPrivate: true }
  },
})

const deleteFile: Page = page({
  id: "files.delete",
  address: "GET /{owner}/{repo}/_delete/{filepath}",
  access,
  changesWithTime: true,
  answer: async (call) => {
    const { draft } = call
    const place = await placeOf(call, call.path.filepath)
    if (!place.entry || place.entry.mode === "40000" || !(await mayWrite(call, place.branch))) throw refuse.notFound()
    const name = place.parts.join("/")
    return shownIn(call, `Delete ${name}`, [
      html`
        <h1>Delete <bdi>${name}</bdi></h1>
        <p class="muted">The commits until now keep it.</p>
      `,
      formView(saveDelete, {
        path: call.path,
        draft,
        look: "danger",
        submit: "Delete file",
        beside: cancel(call, place),
        fields: [hidden("path", name), hidden("sha", place.entry.id), ...(await commitFields(call, place, `Delete ${name}`))],
      }),
    ])
  },
})

const uploadFile: Page = page({
  id: "files.upload",
  address: "GET /{owner}/{repo}/_upload/{filepath}",
  access,
  changesWithTime: true,
  answer: async (call) => {
    const { draft } = call
    const place = await placeOf(call, call.path.filepath)
    if ((place.entry && place.entry.mode !== "40000") || !(await mayWrite(call, place.branch))) throw refuse.notFound()
    return shownIn(call, "Upload a file", [
      html`<h1>Upload a file</h1>`,
      formView(saveUpload, {
        path: call.path,
        draft,
        submit: "Commit",
        beside: cancel(call, place),
        fields: [
          {
            kind: "line",
            name: "folder",
            label: "Folder",
            value: place.parts.join("/"),
            maxlength: 4096,
            hint: "Leave empty for the root. A missing folder is created.",
          },
          ...(await commitFields(call, place, "Add the file")),
          // Behind the other fields, which the server reads before the file.
          { kind: "file", name: "content", label: "File", hint: "At most 16 MiB. A file of the same name is replaced." },
        ],
      }),
    ])
  },
})

const applyPatch: Page = page({
  id: "files.patch",
  address: "GET /{owner}/{repo}/_diffpatch/{filepath}",
  access,
  changesWithTime: true,
  answer: async (call) => {
    const { draft } = call
    const place = await (draft ? placeAgain : placeOf)(call, call.path.filepath)
    if (!place.located || (!draft && !(await mayWrite(call, place.branch)))) throw refuse.notFound()
    return shownIn(call, "Apply a patch", [
      html`<h1>Apply a patch <span class="muted">to <bdi>${place.branch}</bdi></span></h1>`,
      formView(savePatch, {
        path: call.path,
        draft,
        name: "form editor",
        submit: "Commit",
        beside: cancel(call, place),
        fields: [
          {
            kind: "text",
            name: "content",
            label: "Patch",
            rows: 20,
            isCode: true,
            required: true,
            hint: "As git diff or git format-patch writes it. All of its files are changed, or none.",
          },
          ...(await commitFields(call, place, "Apply a patch")),
        ],
      }),
    ])
  },
})

// --- the forms ----------------------------------------------------------------------------------------------------------------------

const saves = {
  does: named(contentsWriteOperations, "repoUpdateFile"),
  takes: ["sha", "from_path", "content", "branch", "new_branch", "message"],
  also: ["path", "description", "ends", "upstream"],
  picks: (values: Readonly<Record<string, string>>, field: (name: string) => string) => ({ ...values, filepath: field("path") }),
  body: ({ content, sha, from_path, ...made }: Readonly<Record<string, unknown>>, typed: Typed): Readonly<Record<string, unknown>> => ({
    ...made,
    ...messageOf(typed),
    ...(typeof content === "string" && { content: base64(typed["ends"]?.[0] === "crlf" ? content.replaceAll("\n", "\r\n") : content) }),
    // Without the id of what is there, it is a new file.
    ...(sha !== "" && { sha, from_path }),
  }),
  bytes: LARGEST_FORM,
  once: true,
  done: "Committed.",
  to: (done: Parameters<typeof afterwards>[0]) => afterwards(done, "src", done.field("path")),
} as const

const saveEdit: Page = form({ ...saves, id: "files.saveEdit", address: "POST /{owner}/{repo}/_edit/{filepath}", on: editFile })
const saveNew: Page = form({ ...saves, id: "files.saveNew", address: "POST /{owner}/{repo}/_new/{filepath}", on: newFile })

const saveDelete: Page = form({
  id: "files.saveDelete",
  address: "POST /{owner}/{repo}/_delete/{filepath}",
  does: named(contentsWriteOperations, "repoDeleteFile"),
  on: deleteFile,
  takes: ["sha", "branch", "new_branch", "message"],
  also: ["path", "description"],
  picks: (values, field) => ({ ...values, filepath: field("path") }),
  body: (made, typed) => ({ ...made, ...messageOf(typed) }),
  once: true,
  done: "Deleted.",
  to: (done) => afterwards(done, "src", done.field("path").split("/").slice(0, -1).join("/"), "?nearest=true"),
})

const saveUpload: Page = form({
  id: "files.saveUpload",
  address: "POST /{owner}/{repo}/_upload/{filepath}",
  does: named(contentsWriteOperations, "repoChangeFiles"),
  on: uploadFile,
  takes: ["branch", "new_branch", "message"],
  also: ["folder", "description"],
  picture: "content",
  bytes: LARGEST_UPLOAD,
  picks: (values) => values,
  body: ({ content, ...made }, typed) => ({
    ...made,
    ...messageOf(typed),
    files: [{ operation: "upload", path: uploadedPath(typed["folder"]?.[0], typed["content"]?.[0]), content }],
  }),
  done: "Committed.",
  to: (done) => afterwards(done, "src", uploadedPath(done.field("folder"), done.field("content"))),
})

const savePatch: Page = form({
  id: "files.savePatch",
  address: "POST /{owner}/{repo}/_diffpatch/{filepath}",
  does: named(contentsWriteOperations, "repoApplyDiffPatch"),
  on: applyPatch,
  takes: ["content", "branch", "new_branch", "message"],
  also: ["description"],
  picks: (values) => values,
  body: (made, typed) => ({ ...made, ...messageOf(typed) }),
  bytes: LARGEST_FORM,
  once: true,
  done: "Committed.",
  to: (done) => afterwards(done, "src", ""),
})

/** For those who may not write: a fork of their own, in which they go on. */
const forkFirst: Page = form({
  id: "files.fork",
  address: "POST /{owner}/{repo}/_fork/{filepath}",
  does: named(forkOperations, "createFork"),
  on: newFile,
  also: ["view"],
  once: true,
  done: "This is your fork. What you commit here can be proposed to the repository that it comes from.",
  to: ({ path: { filepath }, field, record }) => {
    const name = memberOf(record, "full_name")
    const view = field("view") === "_edit" ? "_edit" : "_new"
    return `/${escapePath(typeof name === "string" ? name : "")}/${view}/${escapePath(filepath)}?propose=true`
  },
})

export const editorPages: readonly Page[] = [
  editFile,
  newFile,
  preview,
  deleteFile,
  uploadFile,
  applyPatch,
  saveEdit,
  saveNew,
  saveDelete,
  saveUpload,
  savePatch,
  forkFirst,
]

const base64 = (content: string): string => Buffer.from(content).toString("base64")

/** The subject and the description as one message; nothing lets the operation make one. */
export const messageOf = ({ message = [], description = [] }: Typed): { readonly message: string } => ({
  message: [message[0] ?? "", unixLines(description[0]) ?? ""]
    .map((part) => part.trim())
    .join("\n\n")
    .trim(),
})

const uploadedPath = (folder = "", name = ""): string => [...folder.split("/").filter((part) => part !== ""), name].join("/")

interface Done {
  readonly path: { readonly owner: string; readonly repo: string }
  readonly field: (name: string) => string
}

/** Where a commit leads: to what was changed, or from a new branch to the form of a pull request. */
export function afterwards({ path: { owner, repo }, field }: Done, view: "src" | "commits", file: string, query = ""): string {
  const [start, made, upstream] = [field("branch"), field("new_branch") || field("branch"), field("upstream")]
  if (/^[\w.-]+\/[\w.-]+$/.test(upstream)) return `/${upstream}/compare/...${encodeURIComponent(owner)}:${escapePath(made)}?expand=1`
  if (made !== start) return `${path(owner, repo)}/compare/${escapePath(start)}...${escapePath(made)}?expand=1`
  return `${path(owner, repo)}/${view}/branch/${escapePath(made)}${file === "" ? "" : `/${escapePath(file)}`}${query}`
}

// --- the views ----------------------------------------------------------------------------------------------------------------------

const hidden = (name: string, value: string): Field => ({ kind: "hidden", name, value })

const shownIn = (call: OnEditor, title: string, body: Content, modules: readonly string[] = []): Promise<Shown> =>
  repositoryPage(call, { tab: "code", title, unlisted: true, modules, body: html`${body}` })

function cancel(call: OnEditor, { branch, parts, located, entry }: Place): Html {
  const below = entry && parts.length > 0 ? `/${escapePath(parts.join("/"))}` : ""
  const there = located && `/src/branch/${escapePath(branch)}${below}`
  return html`<a class="button quiet" href="${repositoryPath(call)}${there}">Cancel</a>`
}

/** The fields of every commit. */
export async function commitFields(
  call: OnEditor,
  place: Pick<Place, "branch">,
  placeholder: string,
  proposes = false,
): Promise<readonly Field[]> {
  const pushes = await mayPush(call, place.branch)
  return [
    hidden("branch", place.branch),
    { kind: "line", name: "message", label: "Commit message", placeholder, maxlength: 1000 },
    { kind: "text", name: "description", label: "Description", rows: 3, placeholder: "Why, if the change doesn't say it" },
    {
      kind: "line",
      name: "new_branch",
      label: "Branch",
      required: true,
      maxlength: 255,
      value: pushes && !proposes ? place.branch : await patchBranch(call),
      hint: html`
        ${
          pushes
            ? html`Another name than <bdi>${place.branch}</bdi> makes a new branch from it`
            : html`<bdi>${place.branch}</bdi> is protected. A new branch is made from it`
        }
        , and leads to the form of a pull request.
      `,
    },
  ]
}

interface Editing {
  /** The form that the page has. */
  readonly to: Page
  readonly draft?: Draft | undefined
  /** What was typed, also without a refusal. */
  readonly typed?: Typed
  /** The button that was pressed: `preview` or `changes`. */
  readonly look?: string
  /** In a fork, for the repository that it comes from. */
  readonly proposes?: boolean
  readonly given?: Readonly<Record<"filename" | "content" | "message", string | undefined>>
}

async function editor(call: OnEditor, place: Place, { to, draft, look, proposes = false, given, ...more }: Editing): Promise<Shown> {
  const { branch, parts, entry } = place
  const typed = more.typed ?? draft?.typed
  const isFile = entry !== undefined && entry.mode !== "40000"
  const name = parts.join("/")
  const there: EditableText | string = isFile ? await readText(call, place) : { text: "", ends: "lf", isMixed: false }
  if (typeof there === "string" && !typed)
    return shownIn(call, `Edit ${name}`, [
      html`<h1>Edit <bdi>${name}</bdi></h1>`,
      notice(
        "info",
        html`
          ${there} It can be replaced by another one:${" "}
          <a href="${repositoryPath(call)}/_upload/${escapePath([branch, ...parts.slice(0, -1)].join("/"))}">
            upload it
          </a>.
        `,
      ),
    ])
  const now = typeof there === "string" ? "" : there.text
  const one = (field: string): string | undefined => unixLines(typed?.[field]?.[0])
  const isStale = draft?.refusal.field === "sha"
  const isGone = draft?.refusal.kind === "notFound" && (one("sha") ?? "") !== "" && !isFile
  const folder = isFile ? name : parts.map((part) => `${part}/`).join("")
  const values = {
    path: one("path") ?? (isFile ? name : `${folder}${given?.filename ?? ""}`),
    content: one("content") ?? given?.content ?? now,
    message: one("message") ?? given?.message ?? "",
    ...(one("description") !== undefined && { description: one("description") }),
    ...(one("new_branch") !== undefined && { new_branch: one("new_branch") }),
  }
  const upstream = one("upstream") ?? (proposes ? await upstreamOf(call) : "")
  const isMarkdown = MARKDOWN.test(values.path)
  const typedSha = typed && !isStale && !isGone ? one("sha") : undefined
  const ends = one("ends") ?? (typeof there === "string" ? "lf" : there.ends)
  const title = isFile ? `Edit ${name}` : "New file"
  const at = path(call.owner.name, call.repository.name)
  const button = (word: string, label: Content): Html =>
    html`
      <button
        name="look"
        value="${word}"
        formaction="${at}/_preview/${escapePath(call.path["filepath"] ?? "")}"
        formnovalidate
      >
        ${label}
      </button>
    `
  const fieldsOfFile: readonly Field[] = [
    {
      kind: "line",
      name: "path",
      label: "Path",
      required: true,
      maxlength: 4096,
      hint: "Missing folders are created. Another path moves the file.",
    },
    { kind: "text", name: "content", label: "Content", rows: 24, isCode: true },
    {
      kind: "content",
      content: html`
        <p
          class="hint muted small"
          data-editor="${to.id.replaceAll(".", "-")}-content"
          data-typed="${typed ? "true" : "false"}"
        >
          Tab indents, Shift and Tab take the indent away; after Escape, Tab leads on.
        </p>
      `,
    },
    hidden("sha", typedSha ?? (isFile ? entry.id : "")),
    hidden("from_path", isFile ? name : ""),
    hidden("ends", ends),
    hidden("upstream", upstream),
  ]
  return shownIn(
    call,
    title,
    html`
      <h1>${isFile ? html`Edit <bdi>${name}</bdi>` : "New file"} <span class="muted">on <bdi>${branch}</bdi></span></h1>
      ${
        isStale &&
        html`
          ${notice(
            "warn",
            "Somebody has changed this file since you began. Below is what your text changes of what is there now; if you commit it, it takes its place.",
          )}
          ${await changesView(call.services, values.path, [now, values.content])}
          <details class="stack">
            <summary>What is there now</summary>
            <pre class="prose" tabindex="0"><code>${now}</code></pre>
          </details>
        `
      }
      ${
        isGone &&
        notice("warn", "Somebody has deleted this file, or its branch, since you began. If you commit your text, the file is made again.")
      }
      ${
        typeof there !== "string" &&
        there.isMixed &&
        notice("info", `Some lines end in CR LF, and some in LF. A commit makes all of them end in ${ends === "crlf" ? "CR LF" : "LF"}.`)
      }
      ${look && (await looked(call, place, look, [now, values.content], values.path))}
      ${formView(to, {
        path: { ...call.path, filepath: call.path["filepath"] ?? "" },
        record: values,
        draft: isStale || isGone ? undefined : draft,
        name: "form editor",
        submit: "Commit",
        fields: [...fieldsOfFile, ...(await commitFields(call, place, isFile ? `Update ${name}` : "Add the file", upstream !== ""))],
        beside: html`
          ${button("changes", html`${icon("diff")}Show changes`)}${button("preview", html`${icon("eye")}Preview`)}
          ${cancel(call, place)}
        `,
      })}
      ${isMarkdown && html`<p class="muted small">Markdown; the preview shows it as the page of the file does.</p>`}
    `,
    ["editor"],
  )
}

/** What a button asks to see of the text before it is committed. */
async function looked(
  call: OnEditor,
  { branch }: Place,
  look: string,
  [now, after]: readonly [now: string, after: string],
  name: string,
): Promise<Html> {
  if (look !== "preview")
    return html`
      <section class="stack" aria-labelledby="look">
        <h2 id="look">Changes</h2>
        ${await changesView(call.services, name, [now, after])}
      </section>
    `
  const shown = MARKDOWN.test(name)
    ? await renderText(call, after, {
        style: "document",
        file: { at: `branch/${escapePath(branch)}`, folder: name.split("/").slice(0, -1).join("/") },
      })
    : html`
      <div class="code" role="region" aria-label="${name}" tabindex="0">
        ${(await call.services.highlighter.lines({ name, text: after })).lines.map(
          (line, index) => html`<div data-n="${index + 1}">${line}${"\n"}</div>`,
        )}
      </div>
    `
  return html`
    <section class="card" aria-labelledby="look">
      <div class="head">
        <h2 id="look">Preview</h2>
      </div>
      <div class="inside">${shown}</div>
    </section>
  `
}

/** The repository that a fork comes from, as addresses have it; empty where the caller can't see it. */
async function upstreamOf({ db, actor, repository }: OnEditor): Promise<string> {
  const found = repository.fork_of_id === null ? undefined : await findReachable(db, actor, repository.fork_of_id)
  return found ? `${found.owner.name}/${found.repository.name}` : ""
}

/** Those who may not write are led to their fork, or asked to make one; undefined for the others. */
async function ownFork(call: OnEditor, { branch, parts }: Place, view: "_edit" | "_new"): Promise<PageAnswer | undefined> {
  const { db, me, repository, draft } = call as OnEditor & { readonly draft?: Draft }
  if (await mayWrite(call, branch)) return undefined
  // What was typed is shown again, whoever may no longer write.
  if (draft && draft.form !== forkFirst.id) return undefined
  const fork = await findForkOf.first(db, { ownerId: me.id, repositoryId: repository.id })
  if (fork) {
    const isThere = (await findBranch.first(db, { repositoryId: fork.id, name: branch })) !== undefined
    const to = `${path(me.name, fork.name)}/${view}/${escapePath([isThere ? branch : fork.default_branch, ...parts].join("/"))}`
    return moved(withQuery(to, { propose: true }), { flash: "You may not write to the repository, but this is your fork of it." })
  }
  return shownIn(call, "Propose a change", [
    html`
      <h1>Propose a change</h1>
      <p>
        You may not write to this repository. In a fork, which is a copy of your own, you can; what you commit there you
        can propose by a pull request.
      </p>
    `,
    formView(forkFirst, {
      path: call.path,
      draft,
      submit: html`${icon("repo-forked")}Fork it, and go on`,
      fields: [hidden("view", view)],
    }),
  ])
}
