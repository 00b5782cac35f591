import { onPull } from "../../../access/policies/pulls.ts"
import { fileDownload } from "../../../core/download.ts"
import { listedWithPage, type Operation, ok, operation } from "../../../core/operation.ts"
import { oneOf } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"
import { patchDownload } from "../../code/commits/patches.ts"
import { presentCommits } from "../../code/commits/present.ts"
import { Commit } from "../../code/commits/records.ts"
import { commitsOf, filesOf, rangeOf, WHITESPACE } from "./contents.ts"
import { presentChangedFile } from "./files.ts"
import { ensureMergeability } from "./mergeability.ts"
import { ChangedFile } from "./records.ts"

const shared = { tag: "repository", scope: ["repository"], access: onPull, refuses: ["forbidden"] } as const

export const pullContentOperations: readonly Operation[] = [
  operation({
    ...shared,
    id: "repoGetPullRequestFiles",
    route: "GET /repos/{owner}/{repo}/pulls/{index}/files",
    summary: "List the changed files of a pull request",
    description: "In the order of their paths.",
    paged: true,
    query: {
      "skip-to": Type.Optional(Type.String({ description: "path of the file to begin with" })),
      whitespace: Type.Optional(
        oneOf(WHITESPACE, { description: "which differences of white space to leave out; none unless told otherwise" }),
      ),
    },
    answers: { 200: Type.Array(ChangedFile) },
    handle: async ({ services, query, page, pull, ...found }) => {
      const range = rangeOf(services, found, await ensureMergeability(services, pull))
      const { files, total } = await filesOf(services, range, { skipTo: query["skip-to"], whitespace: query.whitespace }, page)
      return listedWithPage(
        files.map((file) => presentChangedFile(services.site, found, range.to, file)),
        total,
        page,
      )
    },
  }),

  operation({
    ...shared,
    id: "repoGetPullRequestCommits",
    route: "GET /repos/{owner}/{repo}/pulls/{index}/commits",
    summary: "List the commits of a pull request",
    description: "Newest first.",
    paged: true,
    query: {
      verification: Type.Optional(Type.Boolean({ description: "with what is known of the signature; true where it is not sent" })),
      files: Type.Optional(Type.Boolean({ description: "with the files that each changed; true where it is not sent" })),
    },
    answers: { 200: Type.Array(Commit) },
    handle: async ({ services, db, query, page, pull, ...found }) => {
      const { commits, total } = await commitsOf(services, rangeOf(services, found, await ensureMergeability(services, pull)), page)
      const { verification = true, files = true } = query
      return listedWithPage(await presentCommits(services, db, found, commits, { stat: true, verification, files }), total, page)
    },
  }),

  operation({
    ...shared,
    id: "repoDownloadPullDiffOrPatch",
    route: "GET /repos/{owner}/{repo}/pulls/{index}.{diffType}",
    summary: "Get a pull request as a diff or a patch",
    query: {
      binary: Type.Optional(
        Type.Boolean({ description: "write binary files so that the diff can be applied; otherwise they are named only" }),
      ),
    },
    answers: { 200: fileDownload() },
    handle: async ({ services, path, query, pull, ...found }) => {
      const { repository, from, to } = rangeOf(services, found, await ensureMergeability(services, pull))
      const form = path.diffType === "patch" ? "patch" : "diff"
      return ok(patchDownload(services.git, repository, { from, to, form, binary: query.binary ?? false }))
    },
  }),
]
