import { onEditableCode } from "../../../access/policies/code.ts"
import type { OnRepository } from "../../../access/policies/repositories.ts"
import type { SignedIn } from "../../../core/actor.ts"
import { mapInBatches } from "../../../core/batches.ts"
import { refuse } from "../../../core/errors.ts"
import { created, type Operation, ok, operation } from "../../../core/operation.ts"
import type { Services } from "../../../core/services.ts"
import { maintainedBranches } from "../pushes/maintainer-edits.ts"
import { readChanges } from "./changes.ts"
import { commitEdit, editOf } from "./commit.ts"
import { findEntry } from "./paths.ts"
import { presentCommit, presentEntry, type RevisionView, repositoryOf } from "./present.ts"
import {
  ApplyDiffPatchFileOptions,
  type ChangeFileOperation,
  ChangeFilesOptions,
  type CommitFields,
  type ContentsResponse,
  CreateFileOptions,
  DeleteFileOptions,
  FileDeleteResponse,
  FileResponse,
  FilesResponse,
  UpdateFileOptions,
} from "./records.ts"
import type { WorkingTree } from "./working-tree.ts"

interface Call extends OnRepository {
  readonly services: Services
  readonly actor: SignedIn
}

/** Commits the changes, and returns each file's record afterwards; null for deleted files. */
async function change(
  { services, actor, ...on }: Call,
  fields: CommitFields,
  files: readonly ChangeFileOperation[],
  fieldOf: (index: number, name: string) => string,
) {
  const changes = readChanges(files, fieldOf)
  const { commit, branch } = await commitEdit(services, { actor, on }, fields, editOf(changes))
  const view: RevisionView = { services, owned: on, revision: { kind: "branch", name: branch, commit } }
  const contents = await mapInBatches(changes, async ({ operation: kind, parts }): Promise<ContentsResponse | null> => {
    const entry = kind === "delete" ? undefined : await findEntry(services.git, repositoryOf(view), commit.tree, parts)
    return entry ? presentEntry(view, parts.slice(0, -1), entry, { content: true, commit: true, message: false, lfs: true }) : null
  })
  return { contents, ...(await presentCommit(services, on, commit)) }
}

/** A change of one file, whose fields are in the body itself. */
async function changeOne(call: Call, fields: CommitFields, file: ChangeFileOperation) {
  const { contents, ...made } = await change(call, fields, [file], (_, name) => (name === "path" ? "filepath" : name))
  return { content: contents[0] ?? null, ...made }
}

async function writeOne(call: Call, fields: CommitFields, file: ChangeFileOperation) {
  const { content, ...made } = await changeOne(call, fields, file)
  if (!content) throw refuse.conflict("the file was changed again by the same request")
  return { content, ...made }
}

const access = onEditableCode(async (db, actor, on) => (await maintainedBranches(db, actor, on)).size > 0)
const common = { tag: "repository", scope: ["repository"], access, archived: "refused" } as const
const refuses = ["forbidden", "notFound", "conflict", "tooLarge", "invalid"] as const

export const contentsWriteOperations: readonly Operation[] = [
  operation({
    ...common,
    id: "repoChangeFiles",
    route: "POST /repos/{owner}/{repo}/contents",
    summary: "Change several files in one commit",
    description: "All changes are made, or none.",
    body: ChangeFilesOptions,
    answers: { 201: FilesResponse },
    refuses,
    handle: async ({ body: { files, ...fields }, ...call }) => {
      const { contents, ...made } = await change(call, fields, files, (index, name) => `files.${index}.${name}`)
      return created({ files: [...contents], ...made })
    },
  }),

  operation({
    ...common,
    id: "repoCreateFile",
    route: "POST /repos/{owner}/{repo}/contents/{filepath}",
    summary: "Create a file",
    body: CreateFileOptions,
    answers: { 201: FileResponse },
    refuses,
    handle: async ({ body: { content, ...fields }, path, ...call }) =>
      created(await writeOne(call, fields, { operation: "create", path: path.filepath, content })),
  }),

  operation({
    ...common,
    id: "repoUpdateFile",
    route: "PUT /repos/{owner}/{repo}/contents/{filepath}",
    summary: "Update a file, or create it if no sha is given",
    body: UpdateFileOptions,
    answers: { 200: FileResponse, 201: FileResponse },
    refuses,
    handle: async ({ body: { content, sha, from_path, ...fields }, path, ...call }) => {
      const kind = sha ? "update" : "create"
      const answer = await writeOne(call, fields, {
        operation: kind,
        path: path.filepath,
        content,
        ...(sha && { sha }),
        ...(from_path && { from_path }),
      })
      return kind === "create" ? created(answer) : ok(answer)
    },
  }),

  operation({
    ...common,
    id: "repoDeleteFile",
    route: "DELETE /repos/{owner}/{repo}/contents/{filepath}",
    summary: "Delete a file",
    body: DeleteFileOptions,
    answers: { 200: FileDeleteResponse },
    refuses,
    handle: async ({ body: { sha, ...fields }, path, ...call }) => {
      const { content: _, ...made } = await changeOne(call, fields, { operation: "delete", path: path.filepath, sha })
      return ok({ content: null, ...made })
    },
  }),

  operation({
    ...common,
    id: "repoApplyDiffPatch",
    route: "POST /repos/{owner}/{repo}/diffpatch",
    summary: "Apply a unified diff",
    description: "All files are changed, or none. Binary files, links and submodules are not changed this way.",
    body: ApplyDiffPatchFileOptions,
    // Clients are generated from a description that says 200, but expect the status 201.
    answers: { 200: FileResponse, 201: FileResponse },
    refuses,
    handle: async ({ services, actor, body: { content, ...fields }, path: _, ...on }) => {
      const { applyPatch, readPatch } = await import("./patch.ts")
      const patches = readPatch(content)
      const edit = { apply: (tree: WorkingTree) => applyPatch(tree, patches), defaultMessage: "apply-patch" }
      const { commit } = await commitEdit(services, { actor, on }, fields, edit)
      return created({ content: null, ...(await presentCommit(services, on, commit)) })
    },
  }),
]
