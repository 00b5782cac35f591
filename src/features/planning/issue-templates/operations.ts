import { onRepository } from "../../../access/policies/repositories.ts"
import { type Operation, ok, operation } from "../../../core/operation.ts"
import Type from "../../../core/schema.ts"
import { findConfig, findTemplates } from "./find.ts"
import { IssueConfig, IssueConfigValidation, IssueTemplate } from "./records.ts"

// Everyone who may write issues needs the templates, even without access to the code that contains them.
const common = { tag: "repository", scope: ["repository"], access: onRepository } as const

export const issueTemplateOperations: readonly Operation[] = [
  operation({
    ...common,
    id: "repoGetIssueTemplates",
    route: "GET /repos/{owner}/{repo}/issue_templates",
    summary: "List the issue templates",
    description: "From the folders ISSUE_TEMPLATE of the default branch. What can't be read is passed over.",
    answers: { 200: Type.Array(IssueTemplate) },
    handle: async ({ services, ...on }) => ok([...(await findTemplates(services, on))]),
  }),

  operation({
    ...common,
    id: "repoGetIssueConfig",
    route: "GET /repos/{owner}/{repo}/issue_config",
    summary: "Get the issue template configuration",
    description: "From config.yaml beside the templates; the usual where there is none or it can't be read.",
    answers: { 200: IssueConfig },
    handle: async ({ services, ...on }) => ok((await findConfig(services, on)).config),
  }),

  operation({
    ...common,
    id: "repoValidateIssueConfig",
    route: "GET /repos/{owner}/{repo}/issue_config/validate",
    summary: "Validate the issue template configuration",
    answers: { 200: IssueConfigValidation },
    handle: async ({ services, ...on }) => {
      const { fault = "" } = await findConfig(services, on)
      return ok({ valid: fault === "", message: fault })
    },
  }),
]
