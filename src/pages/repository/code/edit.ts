import { onRepositoryUnit } from "../../../access/policies/repositories.ts"
import { memberOf } from "../../../core/check.ts"
import { refuse } from "../../../core/errors.ts"
import { form, type Typed } from "../../../core/forms/form.ts"
import { html } from "../../../core/html.ts"
import { t } from "../../../core/language/message.ts"
import { named, type Request } from "../../../core/operation.ts"
import { type Draft, moved, type Page, type PageAnswer, page, sentText } from "../../../core/page.ts"
import { fileContent } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"
import { escapePath } from "../../../core/text/escape-path.ts"
import { findBranch } from "../../../features/code/branches/store.ts"
import { contentsWriteOperations } from "../../../features/code/contents/write-operations.ts"
import { forkOperations } from "../../../features/code/lifecycle/fork-operations.ts"
import { findForkOf } from "../../../features/code/repositories/store.ts"
import { path, withQuery } from "../../../web/address.ts"
import { formView } from "../../../web/form.ts"
import { icon } from "../../../web/icon.ts"
import { type EditTarget, locateTarget, MOST_BYTES, mayWrite, type OnEditor, relocateTarget } from "../../parts/code/edit-target.ts"
import { afterwards, messageOf } from "./after-commit.ts"
import { styleAt } from "./edit-tools.ts"
import { cancel, commitFields, editor, hidden, shownIn } from "./edit-view.ts"
import { forgetStaged, stagedFiles } from "./upload.ts"

/** Files are made, changed, renamed, and deleted on pages: each form makes one commit, on the branch or on a new one. */

const access = onRepositoryUnit("code", "read")
const text = Type.Optional(Type.String({ maxLength: 4096 }))
const proposal = { propose: Type.Optional(Type.Boolean()) }

/** An escaped byte takes three in a form. */
const LARGEST_FORM = 3 * MOST_BYTES + 262_144

// --- the pages ----------------------------------------------------------------------------------------------------------------------

const editFile: Page = page({
  id: "files.editor",
  address: "GET /{owner}/{repo}/_edit/{filepath}",
  access,
  changesWithTime: true,
  query: proposal,
  answer: async (call) => {
    const { draft, query } = call
    const target = await (draft ? relocateTarget : locateTarget)(call, call.path.filepath)
    if (!draft && (!target.entry || target.entry.mode === "40000" || target.entry.mode === "160000")) throw refuse.notFound()
    return (await ownFork(call, target, "_edit")) ?? editor(call, target, { to: saveEdit, draft, proposes: query.propose === true })
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
    const target = await (draft ? relocateTarget : locateTarget)(call, call.path.filepath)
    const given = { filename: query.filename, content: query.value, message: query.message }
    return (await ownFork(call, target, "_new")) ?? editor(call, target, { to: saveNew, draft, proposes: query.propose === true, given })
  },
})

const fields = [
  "path",
  "from_path",
  "sha",
  "content",
  "branch",
  "new_branch",
  "message",
  "description",
  "ends",
  "upstream",
  "staged",
] as const
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
    const target = await relocateTarget(call, call.path.filepath)
    const isFile = target.entry !== undefined && target.entry.mode !== "40000"
    const typed: Typed = call.query
    const shown = await editor(call, target, { to: isFile ? saveEdit : saveNew, typed, look: typed["look"]?.[0] ?? "" })
    return { ...shown, isPrivate: true }
  },
})

/** How a file of a path that is being typed is to be written, for the module `editor`. */
const writingStyle: Page = page({
  id: "files.writingStyle",
  address: "GET /{owner}/{repo}/_editorconfig/{filepath}",
  access,
  changesWithTime: true,
  answer: async (call) => {
    const target = await locateTarget(call, call.path.filepath)
    return sentText("application/json;charset=utf-8", JSON.stringify(await styleAt(call, target, target.parts)))
  },
})

const deleteFile: Page = page({
  id: "files.delete",
  address: "GET /{owner}/{repo}/_delete/{filepath}",
  access,
  changesWithTime: true,
  answer: async (call) => {
    const { draft } = call
    const target = await locateTarget(call, call.path.filepath)
    if (!target.entry || target.entry.mode === "40000" || !(await mayWrite(call, target.branch))) throw refuse.notFound()
    const name = target.parts.join("/")
    return shownIn(call, t("Delete {name}", { name }), [
      html`
        <h1>Delete <bdi>${name}</bdi></h1>
        <p class="muted">It stays in the history.</p>
      `,
      formView(saveDelete, {
        path: call.path,
        draft,
        look: "danger",
        submit: t("Delete file"),
        beside: cancel(call, target),
        fields: [hidden("path", name), hidden("sha", target.entry.id), ...(await commitFields(call, target, t("Delete {name}", { name })))],
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
    const target = await (draft ? relocateTarget : locateTarget)(call, call.path.filepath)
    if (!target.located || (!draft && !(await mayWrite(call, target.branch)))) throw refuse.notFound()
    return shownIn(call, t("Apply patch"), [
      html`<h1>Apply patch <span class="muted">to <bdi>${target.branch}</bdi></span></h1>`,
      formView(savePatch, {
        path: call.path,
        draft,
        name: "form editor",
        submit: t("Commit"),
        beside: cancel(call, target),
        fields: [
          {
            kind: "text",
            name: "content",
            label: t("Patch"),
            rows: 20,
            isCode: true,
            required: true,
            hint: t("The output of git diff or git format-patch. It is applied as a whole, or not at all."),
          },
          ...(await commitFields(call, target, t("Apply patch"))),
        ],
      }),
    ])
  },
})

// --- the forms ----------------------------------------------------------------------------------------------------------------------

type Body = Readonly<Record<string, unknown>>

const saves = {
  does: named(contentsWriteOperations, "repoUpdateFile"),
  takes: ["sha", "from_path", "content", "branch", "new_branch", "message"],
  also: ["path", "description", "ends", "upstream", "staged"],
  picks: (values: Readonly<Record<string, string>>, field: (name: string) => string) => ({ ...values, filepath: field("path") }),
  body: async ({ content, sha, from_path, ...made }: Body, typed: Typed, { request }: { readonly request: Request }): Promise<Body> => {
    const [path = ""] = typed["path"] ?? []
    const file = {
      ...(typeof content === "string" && { content: base64(typed["ends"]?.[0] === "crlf" ? content.replaceAll("\n", "\r\n") : content) }),
      // Without the id of what is there, it is a new file.
      ...(sha !== "" && { sha, from_path }),
    }
    const pictures = await stagedFiles(typed, request)
    const { message } = messageOf(typed)
    if (pictures.length === 0) return { ...made, message, ...file }
    // Beside the file, also where it has been moved since they were dropped.
    const folder = path.slice(0, path.lastIndexOf("/") + 1)
    return {
      ...made,
      message: message || `${sha === "" ? "Add" : "Update"} ${path}`,
      files: [
        { operation: sha === "" ? "create" : "update", path, ...file },
        ...pictures.map((each) => ({ operation: "create", path: folder + each.path, content: each.content.toString("base64") })),
      ],
    }
  },
  instead: (field: (name: string) => string) => (field("staged") === "" ? undefined : named(contentsWriteOperations, "repoChangeFiles")),
  after: forgetStaged,
  bytes: LARGEST_FORM,
  once: true,
  done: t("Committed."),
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
  done: t("Deleted."),
  to: (done) => afterwards(done, "src", done.field("path").split("/").slice(0, -1).join("/"), "?nearest=true"),
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
  done: t("Committed."),
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
  done: t("This is your fork. You can open a pull request with your commits to the original repository."),
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
  writingStyle,
  deleteFile,
  applyPatch,
  saveEdit,
  saveNew,
  saveDelete,
  savePatch,
  forkFirst,
]

const base64 = (content: string): string => Buffer.from(content).toString("base64")

/** Those who may not write are led to their fork, or asked to make one; undefined for the others. */
async function ownFork(call: OnEditor, { branch, parts }: EditTarget, view: "_edit" | "_new"): Promise<PageAnswer | undefined> {
  const { db, me, repository, draft } = call as OnEditor & { readonly draft?: Draft }
  if (await mayWrite(call, branch)) return undefined
  // What was typed is shown again, even to a user who may no longer write.
  if (draft && draft.form !== forkFirst.id) return undefined
  const fork = await findForkOf.first(db, { ownerId: me.id, repositoryId: repository.id })
  if (fork) {
    const isThere = (await findBranch.first(db, { repositoryId: fork.id, name: branch })) !== undefined
    const to = `${path(me.name, fork.name)}/${view}/${escapePath([isThere ? branch : fork.default_branch, ...parts].join("/"))}`
    return moved(withQuery(to, { propose: true }), {
      flash: t("You don’t have write access to this repository, but you have a fork of it."),
    })
  }
  return shownIn(call, t("Propose changes"), [
    html`
      <h1>Propose changes</h1>
      <p>
        You don’t have write access to this repository. Fork it to make your changes there, and propose them with a pull request.
      </p>
    `,
    formView(forkFirst, {
      path: call.path,
      draft,
      submit: html`${icon("repo-forked")}Fork and continue`,
      fields: [hidden("view", view)],
    }),
  ])
}
