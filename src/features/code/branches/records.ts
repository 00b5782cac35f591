import { int64, nullable, oneOf, record } from "../../../core/record.ts"
import Type, { type Static } from "../../../core/schema.ts"
import { PayloadCommit } from "../commits/records.ts"

export const Branch = record("Branch", {
  name: Type.String(),
  commit: PayloadCommit,
  protected: Type.Boolean({ description: "a rule is about it" }),
  required_approvals: int64({ description: "what its rule asks of a pull request, 0 without one" }),
  enable_status_check: Type.Boolean(),
  status_check_contexts: nullable(Type.Array(Type.String(), { description: "null where its rule has never named any" })),
  user_can_push: Type.Boolean({ description: "the caller may push to it" }),
  user_can_merge: Type.Boolean({ description: "the caller may merge into it" }),
  effective_branch_protection_name: Type.String({ description: "its rule's name for administrators of the repository, else empty" }),
})
export type Branch = Static<typeof Branch>

const name = (description: string) => Type.String({ minLength: 1, maxLength: 100, description })

export const CreateBranchRepoOption = record("CreateBranchRepoOption", {
  new_branch_name: name("its name"),
  old_ref_name: Type.Optional(
    Type.String({ description: "what it begins with: a branch, a tag or a commit; the default branch where nothing is sent" }),
  ),
  old_branch_name: Type.Optional(Type.String({ description: "deprecated: a branch that it begins with, where no old_ref_name is sent" })),
})
export type CreateBranchRepoOption = Static<typeof CreateBranchRepoOption>

export const UpdateBranchRepoOption = record("UpdateBranchRepoOption", {
  new_commit_id: Type.String({ minLength: 1, description: "the commit that it is to name" }),
  old_commit_id: Type.Optional(Type.String({ description: "the commit that it must name until now; any where it is not sent" })),
  force: Type.Optional(Type.Boolean({ description: "also when that takes commits away from it" })),
})
export type UpdateBranchRepoOption = Static<typeof UpdateBranchRepoOption>

export const RenameBranchRepoOption = record("RenameBranchRepoOption", { name: name("its new name") })

export const GitObject = record("GitObject", {
  type: oneOf(["commit", "tag", "tree", "blob"]),
  sha: Type.String(),
  url: Type.String(),
})

export const Reference = record("Reference", { ref: Type.String({ description: "its whole name" }), url: Type.String(), object: GitObject })
export type Reference = Static<typeof Reference>
