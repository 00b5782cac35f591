import { onRepositoryUnitRead } from "../../../access/policies/repositories.ts"
import { fileDownload } from "../../../core/download.ts"
import { refuse } from "../../../core/errors.ts"
import { listedWithPage, type Operation, ok, operation } from "../../../core/operation.ts"
import { dateTime, oneOf } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"
import { comparedCommits, comparedFrom, readComparison } from "./compare.ts"
import { listCommits } from "./list.ts"
import { findNote } from "./notes.ts"
import { patchDownload } from "./patches.ts"
import { type CommitOptions, presentCommits } from "./present.ts"
import { Commit, Compare, Note } from "./records.ts"
import { commitOfPath, gitOf } from "./revision.ts"

const common = { tag: "repository", scope: ["repository"], access: onRepositoryUnitRead("code") } as const

const wish = (what: string) => Type.Optional(Type.Boolean({ description: `with ${what}; true where it is not sent` }))
const commonOptions = { verification: wish("what is known of the signature"), files: wish("the files that it changed") }
const options = { stat: wish("the number of lines that it changed"), ...commonOptions }

const readOptions = ({
  stat = true,
  verification = true,
  files = true,
}: { readonly [K in keyof CommitOptions]?: boolean }): CommitOptions => ({
  stat,
  verification,
  files,
})

export const commitOperations: readonly Operation[] = [
  operation({
    ...common,
    id: "repoGetAllCommits",
    route: "GET /repos/{owner}/{repo}/commits",
    summary: "List commits",
    description: "Newest first.",
    paged: true,
    query: {
      sha: Type.Optional(Type.String({ description: "branch, tag or commit to begin with; the default branch where it is not sent" })),
      path: Type.Optional(Type.String({ description: "only commits that changed this file, or something below this directory" })),
      since: Type.Optional(dateTime({ description: "only commits made then or later" })),
      until: Type.Optional(dateTime({ description: "only commits made then or earlier" })),
      ...options,
      not: Type.Optional(Type.String({ description: "branch, tag or commit whose commits are left out" })),
    },
    answers: { 200: Type.Array(Commit) },
    refuses: ["notFound", "conflict"],
    handle: async ({ services, db, query, page, ...on }) => {
      const { commits, total } = await listCommits(services, on, query, page)
      return listedWithPage(await presentCommits(services, db, on, commits, readOptions(query)), total, page)
    },
  }),

  operation({
    ...common,
    id: "repoGetSingleCommit",
    route: "GET /repos/{owner}/{repo}/git/commits/{sha}",
    summary: "Get a commit",
    query: options,
    answers: { 200: Commit },
    refuses: ["notFound"],
    handle: async ({ services, db, path, query, ...on }) => {
      const [record] = await presentCommits(services, db, on, [await commitOfPath(services, on, path.sha)], readOptions(query))
      if (!record) throw refuse.notFound()
      const { findCommitMark } = await import("../../people/sign-in/credentials/deeds-store.ts")
      const mark = await findCommitMark.first(db, { repositoryId: on.repository.id, commitId: record.sha })
      return ok({ ...record, ...(mark && { made_with: mark.token_name }) })
    },
  }),

  operation({
    ...common,
    id: "repoDownloadCommitDiffOrPatch",
    route: "GET /repos/{owner}/{repo}/git/commits/{sha}.{diffType}",
    summary: "Get a commit as a diff or a patch",
    answers: { 200: fileDownload() },
    refuses: ["notFound"],
    handle: async ({ services, path, ...on }) => {
      const { id, parents } = await commitOfPath(services, on, path.sha)
      const form = path.diffType === "patch" ? "patch" : "diff"
      return ok(patchDownload(services.git, gitOf(services, on), { from: parents[0] ?? null, to: id, form }))
    },
  }),

  operation({
    ...common,
    id: "repoGetNote",
    route: "GET /repos/{owner}/{repo}/git/notes/{sha}",
    summary: "Get the git note of a commit",
    query: commonOptions,
    answers: { 200: Note },
    refuses: ["notFound"],
    handle: async ({ services, db, path, query, ...on }) => {
      const note = await findNote(services, on, (await commitOfPath(services, on, path.sha)).id)
      const [commit] = note ? await presentCommits(services, db, on, [note.commit], readOptions(query)) : []
      if (!note || !commit) throw refuse.notFound()
      return ok({ message: note.message, commit })
    },
  }),
  operation({
    ...common,
    id: "repoCompareDiff",
    route: "GET /repos/{owner}/{repo}/compare/{basehead}",
    summary: "Compare two branches, tags or commits",
    description:
      "base...head gives what head has beyond base; base..head compares the two as they are. Of head alone the base is the default branch. A head in a fork is owner:branch. The newest 250 commits are told, and the number of all.",
    query: {
      output: Type.Optional(oneOf(["diff", "patch"], { description: "plain text instead of JSON" })),
      ...commonOptions,
    },
    answers: { 200: Type.Union([Compare, fileDownload()]) },
    refuses: ["notFound"],
    handle: async ({ services, db, actor, path, query: { output, ...wishes }, ...on }) => {
      const comparison = await readComparison(services, db, actor, on, path.basehead)
      if (output !== undefined) {
        const { repository, base, head } = comparison
        const from = output === "patch" ? base : await comparedFrom(services, comparison)
        return ok(patchDownload(services.git, repository, { from, to: head, form: output }))
      }
      const { commits, total } = await comparedCommits(services, comparison)
      const records = await presentCommits(services, db, comparison.on, commits, readOptions(wishes))
      return ok({ total_commits: total, commits: records })
    },
  }),
]
