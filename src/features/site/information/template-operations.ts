import { anyone } from "../../../access/policies/site.ts"
import { refuse } from "../../../core/errors.ts"
import { type Operation, ok, operation } from "../../../core/operation.ts"
import Type from "../../../core/schema.ts"
import { LabelTemplate } from "../../code/repositories/records.ts"
import { gitignores } from "../../code/repositories/templates/gitignores.ts"
import { labelSet, labelSetNames } from "../../code/repositories/templates/labels.ts"
import { licenseNames, licenseText } from "../../code/repositories/templates/licenses.ts"
import { GitignoreTemplateInfo, LicensesTemplateListEntry, LicenseTemplateInfo } from "./records.ts"

const shared = { tag: "miscellaneous", scope: [], access: anyone } as const

const HOW_TO_LICENSE =
  "Put the text into a file LICENSE at the top of the repository, with the year and the holder's name in the places left for them."

/** Templates for new repositories. */
export const templateOperations: readonly Operation[] = [
  operation({
    ...shared,
    id: "listGitignoresTemplates",
    route: "GET /gitignore/templates",
    summary: "List the .gitignore templates",
    answers: { 200: Type.Array(Type.String()) },
    handle: async () => ok([...(await gitignores.names())]),
  }),

  operation({
    ...shared,
    id: "getGitignoreTemplateInfo",
    route: "GET /gitignore/templates/{name}",
    summary: "Get a .gitignore template",
    answers: { 200: GitignoreTemplateInfo },
    refuses: ["notFound"],
    handle: async ({ path: { name } }) => {
      const source = await gitignores.text(name)
      if (source === undefined) throw refuse.notFound()
      return ok({ name, source })
    },
  }),

  operation({
    ...shared,
    id: "listLicenseTemplates",
    route: "GET /licenses",
    summary: "List the license templates",
    answers: { 200: Type.Array(LicensesTemplateListEntry) },
    handle: async ({ services }) =>
      ok((await licenseNames()).map((key) => ({ key, name: key, url: licenseUrl(services.site.rootUrl, key) }))),
  }),

  operation({
    ...shared,
    id: "getLicenseTemplateInfo",
    route: "GET /licenses/{name}",
    summary: "Get a license template",
    answers: { 200: LicenseTemplateInfo },
    refuses: ["notFound"],
    handle: async ({ services, path: { name } }) => {
      const body = await licenseText(name)
      if (body === undefined) throw refuse.notFound()
      return ok({ key: name, name, url: licenseUrl(services.site.rootUrl, name), implementation: HOW_TO_LICENSE, body })
    },
  }),

  operation({
    ...shared,
    id: "listLabelTemplates",
    route: "GET /label/templates",
    summary: "List the label sets",
    answers: { 200: Type.Array(Type.String()) },
    handle: async () => ok([...(await labelSetNames())]),
  }),

  operation({
    ...shared,
    id: "getLabelTemplateInfo",
    route: "GET /label/templates/{name}",
    summary: "Get the labels of a label set",
    answers: { 200: Type.Array(LabelTemplate) },
    refuses: ["notFound"],
    handle: async ({ path: { name } }) => {
      const labels = await labelSet(name)
      if (!labels) throw refuse.notFound()
      return ok(labels)
    },
  }),
]

const licenseUrl = (rootUrl: string, name: string): string => `${rootUrl}/api/v1/licenses/${encodeURIComponent(name)}`
