import { type OnRepository, onRepositoryUnitRead } from "../../../access/policies/repositories.ts"
import { fileDownload } from "../../../core/download.ts"
import { refuse } from "../../../core/errors.ts"
import { type Operation, ok, operation } from "../../../core/operation.ts"
import { nullable, pageParameter } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"
import type { Services } from "../../../core/services.ts"
import { parseJson } from "../../../core/text/json.ts"
import { readBlobRecord, readTreePage } from "./objects.ts"
import { mediaFile, missingFile, rawFile } from "./raw.ts"
import { contentsAt, DEFAULT_OPTIONS, filesAt, openRevision, readIncludes } from "./read.ts"
import {
  ContentsExtResponse,
  ContentsResponse,
  type ContentsExtResponse as Extended,
  GetFilesOptions,
  GitBlobResponse,
  GitTreeResponse,
} from "./records.ts"

const common = { tag: "repository", scope: ["repository"], access: onRepositoryUnitRead("code") } as const
const ref = { ref: Type.Optional(Type.String({ description: "a branch, a tag or a commit; the default branch where it is not sent" })) }
const files = Type.Array(nullable(ContentsResponse), { description: "in the order of the request; null for what is not there" })

const extQuery = {
  ...ref,
  includes: Type.Optional(
    Type.String({ description: "of file_content, lfs_metadata, commit_metadata and commit_message, with commas between them" }),
  ),
}

async function contentsExt(
  services: Services,
  on: OnRepository,
  path: string,
  query: { readonly ref?: string; readonly includes?: string },
): Promise<Extended> {
  const options = readIncludes(query.includes ?? "")
  const contents = await contentsAt(await openRevision(services, on, query.ref), path, options)
  return Array.isArray(contents) ? { dir_contents: contents } : { file_contents: contents }
}

/** A file is one record, a directory a list of them. */
const fileOrDirectory = Type.Union([ContentsResponse, Type.Array(ContentsResponse)])

export const contentsReadOperations: readonly Operation[] = [
  operation({
    ...common,
    id: "repoGetContentsList",
    route: "GET /repos/{owner}/{repo}/contents",
    summary: "List the root directory",
    query: ref,
    answers: { 200: Type.Array(ContentsResponse) },
    refuses: ["notFound", "tooLarge"],
    handle: async ({ services, query, ...on }) => {
      const contents = await contentsAt(await openRevision(services, on, query.ref), "", DEFAULT_OPTIONS)
      return ok(Array.isArray(contents) ? contents : [contents])
    },
  }),

  operation({
    ...common,
    id: "repoGetContents",
    route: "GET /repos/{owner}/{repo}/contents/{filepath}",
    summary: "Get a file with its content, or list a directory",
    description: "A directory is answered by a list.",
    query: ref,
    answers: { 200: fileOrDirectory },
    refuses: ["badRequest", "notFound", "tooLarge"],
    handle: async ({ services, query, path, ...on }) =>
      ok(await contentsAt(await openRevision(services, on, query.ref), path.filepath, DEFAULT_OPTIONS)),
  }),

  operation({
    ...common,
    id: "repoGetContentsExtList",
    route: "GET /repos/{owner}/{repo}/contents-ext",
    summary: "List the root directory with the requested details",
    query: extQuery,
    answers: { 200: ContentsExtResponse },
    refuses: ["badRequest", "notFound", "tooLarge"],
    handle: async ({ services, query, ...on }) => ok(await contentsExt(services, on, "", query)),
  }),

  operation({
    ...common,
    id: "repoGetContentsExt",
    route: "GET /repos/{owner}/{repo}/contents-ext/{filepath}",
    summary: "Get a file or a directory with the requested details",
    query: extQuery,
    answers: { 200: ContentsExtResponse },
    refuses: ["badRequest", "notFound", "tooLarge"],
    handle: async ({ services, query, path, ...on }) => ok(await contentsExt(services, on, path.filepath, query)),
  }),

  operation({
    ...common,
    id: "repoGetFileContents",
    route: "GET /repos/{owner}/{repo}/file-contents",
    summary: "Get several files",
    description: "At most thirty, and no more than 100 MiB.",
    query: { ...ref, body: Type.Optional(Type.String({ documentedAs: "required", description: "GetFilesOptions as JSON" })) },
    answers: { 200: files },
    refuses: ["badRequest", "notFound"],
    handle: async ({ services, query, ...on }) =>
      ok(await filesAt(await openRevision(services, on, query.ref), readPaths(query.body ?? ""))),
  }),

  operation({
    ...common,
    id: "repoGetFileContentsPost",
    changesNothing: true,
    route: "POST /repos/{owner}/{repo}/file-contents",
    summary: "Get several files, named in the body",
    description: "At most thirty, and no more than 100 MiB.",
    query: ref,
    body: GetFilesOptions,
    answers: { 200: files },
    refuses: ["badRequest", "notFound"],
    handle: async ({ services, query, body, ...on }) => ok(await filesAt(await openRevision(services, on, query.ref), body.files)),
  }),

  operation({
    ...common,
    id: "repoGetRawFile",
    route: "GET /repos/{owner}/{repo}/raw/{filepath}",
    summary: "Get a file's raw content",
    query: ref,
    answers: { 200: fileDownload() },
    refuses: ["badRequest", "notFound"],
    handle: async ({ services, query, path, ...on }) =>
      ok(await rawFile(await openRevision(services, on, query.ref, missingFile), path.filepath)),
  }),

  operation({
    ...common,
    id: "repoGetRawFileOrLFS",
    route: "GET /repos/{owner}/{repo}/media/{filepath}",
    summary: "Get a file's raw content, or the LFS object if it is a pointer",
    query: ref,
    answers: { 200: fileDownload() },
    refuses: ["badRequest", "notFound"],
    handle: async ({ services, query, path, ...on }) =>
      ok(await mediaFile(await openRevision(services, on, query.ref, missingFile), path.filepath)),
  }),

  operation({
    ...common,
    id: "GetTree",
    route: "GET /repos/{owner}/{repo}/git/trees/{sha}",
    summary: "Get a git tree",
    query: {
      recursive: Type.Optional(Type.Boolean({ description: "with all that is below", lenient: true })),
      page: pageParameter("page number, from 1"),
      per_page: pageParameter("page size, at most 1000"),
    },
    answers: { 200: GitTreeResponse },
    refuses: ["badRequest"],
    handle: async ({ services, query, path, ...on }) => {
      const { recursive = false, page = 1, per_page: perPage = 0 } = query
      const tree = await readTreePage(services, on, { sha: path.sha, recursive, page, perPage })
      return { ...ok(tree), headers: { "x-total-count": String(tree.total_count) } }
    },
  }),

  operation({
    ...common,
    id: "GetBlob",
    route: "GET /repos/{owner}/{repo}/git/blobs/{sha}",
    summary: "Get a blob",
    answers: { 200: GitBlobResponse },
    refuses: ["badRequest"],
    handle: async ({ services, path, ...on }) => ok(await readBlobRecord(services, on, path.sha)),
  }),
]

/** Parses the JSON body in a query parameter into paths. Refuses `badRequest` for anything else. */
function readPaths(text: string): readonly string[] {
  try {
    const body = parseJson(text)
    const paths: unknown = typeof body === "object" && body !== null && "files" in body ? body.files : undefined
    if (Array.isArray(paths) && paths.length > 0 && paths.every((path) => typeof path === "string")) return paths
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  throw refuse.badRequest('[body]: must be JSON such as {"files":["README.md"]}')
}
