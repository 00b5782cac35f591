import { onRepositoryUnit, onRepositoryUnitRead } from "../../../access/policies/repositories.ts"
import { refuse } from "../../../core/errors.ts"
import { created, listed, noContent, type Operation, ok, operation } from "../../../core/operation.ts"
import Type from "../../../core/schema.ts"
import { commitColumns } from "../pushes/branches.ts"
import { presentBranch, presentBranches } from "./present.ts"
import { Branch, CreateBranchRepoOption, Reference, RenameBranchRepoOption, UpdateBranchRepoOption } from "./records.ts"
import { readReferences } from "./references.ts"
import { renameBranch } from "./rename.ts"
import { createBranch, deleteBranch, updateBranch } from "./rules.ts"
import { findBranch, findBranches } from "./store.ts"

const shared = { tag: "repository", scope: ["repository"] } as const
const reading = { ...shared, access: onRepositoryUnitRead("code") } as const
const writing = { ...shared, access: onRepositoryUnit("code", "write"), archived: "refused" } as const

export const branchOperations: readonly Operation[] = [
  operation({
    ...reading,
    id: "repoListBranches",
    route: "GET /repos/{owner}/{repo}/branches",
    summary: "List a repository's branches",
    description: "Those with the newest commits first, of several of one second by name.",
    paged: true,
    query: { q: Type.Optional(Type.String({ description: "what their names hold, in any case" })) },
    answers: { 200: Type.Array(Branch) },
    refuses: ["forbidden", "notFound", "invalid"],
    handle: async ({ db, services, actor, owner, repository, permission, query: { q = "" }, page }) => {
      const { rows, total } = await findBranches(db, repository.id, q, page)
      return listed(await presentBranches(services, db, actor, { owner, repository, permission }, rows), total)
    },
  }),

  operation({
    ...writing,
    id: "repoCreateBranch",
    route: "POST /repos/{owner}/{repo}/branches",
    summary: "Create a branch",
    body: CreateBranchRepoOption,
    answers: { 201: Branch },
    refuses: ["forbidden", "notFound", "conflict", "invalid"],
    handle: async ({ db, services, actor, owner, repository, permission, body }) => {
      const on = { owner, repository, permission }
      const commit = await createBranch({ services, actor, on }, body)
      return created(await presentBranch(services, db, actor, on, { name: body.new_branch_name, ...commitColumns(commit) }))
    },
  }),

  operation({
    ...reading,
    id: "repoGetBranch",
    route: "GET /repos/{owner}/{repo}/branches/{branch}",
    summary: "Get a branch",
    answers: { 200: Branch },
    refuses: ["forbidden", "notFound"],
    handle: async ({ db, services, actor, owner, repository, permission, path }) => {
      const row = await findBranch.first(db, { repositoryId: repository.id, name: path.branch })
      if (!row) throw refuse.notFound()
      return ok(await presentBranch(services, db, actor, { owner, repository, permission }, row))
    },
  }),

  operation({
    ...writing,
    id: "repoUpdateBranch",
    route: "PUT /repos/{owner}/{repo}/branches/{branch}",
    summary: "Move a branch to another commit",
    body: UpdateBranchRepoOption,
    answers: { 204: null },
    refuses: ["forbidden", "notFound", "conflict", "invalid"],
    handle: async ({ services, actor, owner, repository, permission, path, body }) => {
      await updateBranch({ services, actor, on: { owner, repository, permission } }, path.branch, body)
      return noContent()
    },
  }),

  operation({
    ...writing,
    id: "repoRenameBranch",
    route: "PATCH /repos/{owner}/{repo}/branches/{branch}",
    summary: "Rename a branch",
    description: "Open pull requests, its own rule, the default branch and HEAD follow.",
    body: RenameBranchRepoOption,
    answers: { 204: null },
    refuses: ["forbidden", "notFound", "conflict", "invalid"],
    handle: async ({ services, actor, owner, repository, permission, path, body }) => {
      await renameBranch({ services, actor, on: { owner, repository, permission } }, path.branch, body.name)
      return noContent()
    },
  }),

  operation({
    ...writing,
    id: "repoDeleteBranch",
    route: "DELETE /repos/{owner}/{repo}/branches/{branch}",
    summary: "Delete a branch",
    answers: { 204: null },
    refuses: ["forbidden", "notFound", "conflict"],
    handle: async ({ services, actor, owner, repository, permission, path }) => {
      await deleteBranch({ services, actor, on: { owner, repository, permission } }, path.branch)
      return noContent()
    },
  }),

  operation({
    ...reading,
    id: "repoListAllGitRefs",
    route: "GET /repos/{owner}/{repo}/git/refs",
    summary: "List all references",
    description: "By name. They are not paged.",
    answers: { 200: Type.Array(Reference) },
    refuses: ["forbidden", "notFound"],
    handle: async ({ services, owner, repository }) => {
      const found = await readReferences(services, { owner, repository })
      if (found.length === 0) throw refuse.notFound()
      return ok(found)
    },
  }),

  operation({
    ...reading,
    id: "repoListGitRefs",
    route: "GET /repos/{owner}/{repo}/git/refs/{ref}",
    summary: "Get a reference, or list those with a common prefix",
    description:
      "`heads/main` is refs/heads/main; where there is no refs/heads/feature, `heads/feature` gives refs/heads/feature/one and refs/heads/feature2.",
    answers: { 200: Type.Array(Reference) },
    refuses: ["forbidden", "notFound"],
    handle: async ({ services, owner, repository, path }) => {
      const found = await readReferences(services, { owner, repository }, path.ref)
      if (found.length === 0) throw refuse.notFound()
      return ok(found)
    },
  }),
]
