import { onRepositoryUnit } from "../../../access/policies/repositories.ts"
import { refuse } from "../../../core/errors.ts"
import { form, type Typed } from "../../../core/forms/form.ts"
import { type Html, html } from "../../../core/html.ts"
import { t } from "../../../core/language/message.ts"
import { named, type Request } from "../../../core/operation.ts"
import { type Draft, type Page, page, sentText } from "../../../core/page.ts"
import Type from "../../../core/schema.ts"
import { escapePath } from "../../../core/text/escape-path.ts"
import type { Upload } from "../../../core/upload.ts"
import { findEntry, partsToWrite } from "../../../features/code/contents/paths.ts"
import { contentsWriteOperations } from "../../../features/code/contents/write-operations.ts"
import { uploadMessage } from "../../../features/code/uploads/message.ts"
import {
  MOST_BYTES_OF_COMMIT,
  MOST_BYTES_OF_FILE,
  MOST_FILES,
  type Place,
  readStaged,
  stageFile,
  unstageFiles,
} from "../../../features/code/uploads/staged.ts"
import { repositoryPath } from "../../../web/address.ts"
import { formView } from "../../../web/form.ts"
import { type EditTarget, locateTarget, mayWrite, type OnEditor, relocateTarget } from "../../parts/code/edit-target.ts"
import { afterwards, messageOf } from "./after-commit.ts"
import { cancel, commitFields, shownIn } from "./edit-view.ts"

/**
 * Files and folders are uploaded in one commit. With scripts (`browser/upload-files.ts`) each file is sent when it is chosen, and waits for the commit
 * (`features/code/uploads/`); without them the form sends all of them at once.
 */

const access = onRepositoryUnit("code", "read")

/** Where files go. Refuses `notFound` for what is no folder, and for those who may not write there. */
async function folderAt(call: OnEditor, filepath: string): Promise<EditTarget> {
  const target = await locateTarget(call, filepath)
  if ((target.entry && target.entry.mode !== "40000") || !(await mayWrite(call, target.branch))) throw refuse.notFound()
  return target
}

const uploadFiles: Page = page({
  id: "files.upload",
  address: "GET /{owner}/{repo}/_upload/{filepath}",
  access,
  changesWithTime: true,
  answer: async (call) => {
    const { draft } = call
    const target = await (draft ? relocateTarget(call, call.path.filepath) : folderAt(call, call.path.filepath))
    return shownIn(
      call,
      t("Upload files"),
      [
        html`<h1>Upload files <span class="muted">to <bdi>${target.branch}</bdi></span></h1>`,
        formView(saveUpload, {
          path: call.path,
          // What was sent with scripts is shown in the same form.
          draft: draft && { ...draft, form: saveUpload.id },
          submit: t("Commit"),
          isLong: true,
          beside: cancel(call, target),
          fields: [
            { kind: "content", content: dropPlace(call, draft) },
            {
              kind: "line",
              name: "folder",
              label: t("Folder"),
              value: target.parts.join("/"),
              maxlength: 4096,
              hint: t("Leave empty for the root. A missing folder is created."),
            },
            ...(await commitFields(call, target, t("Names what is added and updated, unless you write a message"))),
            // Behind the other fields, which the server reads before the files.
            { kind: "file", name: "content", label: t("Files"), multiple: true, hint: LIMITS_HINT },
          ],
        }),
      ],
      ["upload-files"],
    )
  },
})

const MIB = 1024 * 1024
const LIMITS_HINT = html`
  At most ${MOST_FILES} files, each of at most ${MOST_BYTES_OF_FILE / MIB} MiB, and ${MOST_BYTES_OF_COMMIT / MIB} MiB together.
  Files of the same name are replaced.
`

/** What the script fills: files that are sent one by one. It has its room from the start, and until the script is there, the field of files stands in it. */
const dropPlace = (call: OnEditor, draft: Draft | undefined): Html => {
  const at = (view: string): string => `${repositoryPath(call)}/${view}/${escapePath(call.path["filepath"] ?? "")}`
  return html`
    <div
      class="drop stack"
      data-uploads="${at("_upload-file")}"
      data-remove="${at("_upload-remove")}"
      data-save="${at("_upload-staged")}"
      data-staged="${JSON.stringify(draft?.typed["staged"] ?? [])}"
      data-most="${MOST_FILES}"
      data-most-bytes="${MOST_BYTES_OF_FILE}"
      data-most-together="${MOST_BYTES_OF_COMMIT}"
      inert
    >
      <div class="bar">
        <span>Drop files and folders here, or</span>
        <button type="button" class="small" data-choose="files">Choose files</button>
        <button type="button" class="small" data-choose="folder">Choose a folder</button>
      </div>
      <p class="small muted" data-sum role="status">Nothing is chosen yet. Nothing is committed before you press Commit.</p>
      <ul class="uploads plain" aria-label="Files to commit"></ul>
      <p class="small muted">${LIMITS_HINT}</p>
    </div>
  `
}

// --- files that wait for their commit -------------------------------------------------------------------------------------------------

const stage: Page = page({
  id: "files.stage",
  address: "POST /{owner}/{repo}/_upload-file/{filepath}",
  access,
  bytes: MOST_BYTES_OF_FILE + MIB,
  receives: { field: "file", plain: false },
  answer: async (call) => {
    const { services, upload } = call
    if (!upload) throw refuse.badRequest()
    const target = await folderAt(call, call.path.filepath)
    const at = async (path: string) => {
      const parts = partsToWrite(path, path)
      return target.located && (await findEntry(services.git, target.located.git, target.located.revision.commit.tree, parts))
    }
    const fields = upload.fields ?? {}
    const asked = fields["path"]?.[0] ?? upload.fileName
    // A picture for a text replaces nothing.
    const name =
      fields["free"] === undefined ? asked : await freeName(asked, async (each) => (await at(pathIn(fields, each))) === undefined)
    const path = pathIn(fields, name)
    const there = await at(path)
    if (there?.mode === "40000") throw refuse.invalid(path, "is a folder")
    const id = await stageFile(services, call, { ...upload, fileName: path })
    return sentText("application/json;charset=utf-8", JSON.stringify({ id, name, replaces: there !== undefined }))
  },
})

const unstage: Page = page({
  id: "files.unstage",
  address: "POST /{owner}/{repo}/_upload-remove/{filepath}",
  access,
  query: { id: Type.Optional(Type.String({ maxLength: 36 })) },
  answer: async (call) => {
    await unstageFiles(call.services, call, [call.query.id ?? ""])
    return sentText("application/json;charset=utf-8", "{}")
  },
})

/** A name that nothing has, with a number where it is needed. */
async function freeName(name: string, isFree: (name: string) => Promise<boolean>): Promise<string> {
  const [, stem = name, ending = ""] = /^(.+?)(\.[^.]*)?$/.exec(name) ?? []
  for (let number = 1; number < MOST_TRIED; number++) {
    const tried = number === 1 ? name : `${stem}-${number}${ending}`
    if (await isFree(tried)) return tried
  }
  throw refuse.invalid(name, "is there already, and so are names like it; give the file another one")
}

const MOST_TRIED = 100

// --- the forms ------------------------------------------------------------------------------------------------------------------------

export interface Sent {
  readonly path: string
  readonly content: Buffer
}

const common = {
  does: named(contentsWriteOperations, "repoChangeFiles"),
  on: uploadFiles,
  takes: ["branch", "new_branch", "message"],
  picks: (values: Readonly<Record<string, string>>) => values,
  done: t("Committed."),
  to: (done: Parameters<typeof afterwards>[0]) => afterwards(done, "src", partsOf(done.field("folder")).join("/"), "?nearest=true"),
} as const

const saveUpload: Page = form({
  ...common,
  id: "files.saveUpload",
  address: "POST /{owner}/{repo}/_upload/{filepath}",
  also: ["folder", "description"],
  files: { field: "content", most: MOST_FILES },
  bytes: MOST_BYTES_OF_COMMIT + MIB,
  body: async (made, typed, { request, upload }) => {
    const files: Sent[] = []
    let bytes = 0
    for await (const { fileName, content } of filesIn(upload)) {
      const read = await bytesOf(fileName, content)
      bytes += read.length
      if (bytes > MOST_BYTES_OF_COMMIT) throw tooMuch()
      // A field in which nothing was chosen is sent as a file without a name.
      if (fileName !== "") files.push({ path: pathIn(typed, fileName), content: read })
    }
    return bodyOf(made, typed, files, request)
  },
})

const saveStaged: Page = form({
  ...common,
  id: "files.saveStaged",
  address: "POST /{owner}/{repo}/_upload-staged/{filepath}",
  also: ["folder", "description", "staged"],
  bytes: MOST_FILES * 4096,
  once: true,
  body: async (made, typed, { request }) => {
    const files = await stagedFiles(typed, request)
    return bodyOf(
      made,
      typed,
      files.map(({ path, content }) => ({ path: pathIn(typed, path), content })),
      request,
    )
  },
  after: forgetStaged,
})

export const uploadPages: readonly Page[] = [uploadFiles, stage, unstage, saveUpload, saveStaged]

const tooMuch = () => refuse.invalid("content", t`must have at most ${MOST_BYTES_OF_COMMIT / MIB} MiB together`)

/** The files that the form names. Refuses `invalid` for one that is there no more, and for too much. */
export async function stagedFiles(typed: Typed, request: Request): Promise<readonly Sent[]> {
  const named = stagedIn(typed)
  const place = named.length > 0 ? await placeOf(request) : undefined
  const files: Sent[] = []
  let bytes = 0
  for (const [id, path] of named) {
    const content = place && (await readStaged(request.services, place, id))
    if (!content) throw refuse.invalid(path, "is not here any more; remove it and choose it again")
    bytes += content.length
    if (bytes > MOST_BYTES_OF_COMMIT) throw tooMuch()
    files.push({ path, content })
  }
  return files
}

export async function forgetStaged(typed: Typed, request: Request): Promise<void> {
  const ids = stagedIn(typed).map(([id]) => id)
  if (ids.length > 0) await unstageFiles(request.services, await placeOf(request), ids)
}

/** The form was let in by the same access. */
async function placeOf(request: Request): Promise<Place> {
  const { repository } = await access.open(request)
  if (request.actor.kind !== "user") throw refuse.unauthenticated()
  return { repository, me: request.actor.user }
}

async function* filesIn(upload: Upload | undefined): AsyncGenerator<Upload> {
  if (!upload) return
  yield upload
  if (upload.others) yield* upload.others
}

async function bytesOf(name: string, content: Upload["content"]): Promise<Buffer> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of content) {
    size += part.length
    if (size > MOST_BYTES_OF_FILE) throw refuse.invalid(name, t`must have at most ${MOST_BYTES_OF_FILE / MIB} MiB`)
    parts.push(part)
  }
  return Buffer.concat(parts)
}

/** The fields say `id path`. */
const stagedIn = ({ staged = [] }: Typed): readonly (readonly [id: string, path: string])[] =>
  staged.slice(0, MOST_FILES).map((text) => [text.slice(0, 36), text.slice(37)])

const partsOf = (folder = ""): readonly string[] => folder.split("/").filter((part) => part !== "")
const pathIn = ({ folder }: Typed, path: string): string => [...partsOf(folder?.[0]), path].join("/")

/** The body of the operation. What is wrong with a path is said with its name; the message is true to what is there already. */
async function bodyOf(
  made: Readonly<Record<string, unknown>>,
  typed: Typed,
  files: readonly Sent[],
  request: Request,
): Promise<Readonly<Record<string, unknown>>> {
  if (files.length === 0) throw refuse.invalid("content", "is required: choose at least one file")
  const call = { ...request, ...(await access.open(request)) }
  const { located } = await relocateTarget(call, typed["branch"]?.[0] ?? "")
  const added = new Set<string>()
  const updated = new Set<string>()
  for (const { path } of files) {
    const parts = partsToWrite(path, path)
    const there = located && (await findEntry(request.services.git, located.git, located.revision.commit.tree, parts))
    ;(there ? updated : added).add(path)
  }
  const { message } = messageOf(typed)
  return {
    ...made,
    message:
      message === "" || (typed["message"]?.[0] ?? "").trim() === "" ? withBody(uploadMessage([...added], [...updated]), message) : message,
    files: files.map(({ path, content }) => ({ operation: "upload", path, content: content.toString("base64") })),
  }
}

const withBody = (subject: string, body: string): string => (body === "" ? subject : `${subject}\n\n${body}`)
