import type { Examples } from "./example.ts"

/** Operations of the site as a whole. */
export const siteExamples: Examples = {
  getVersion: () => ({}),
  adminCronList: () => ({}),
  adminCronRun: () => ({ path: { task: "check_repo_stats" } }),
  adminListDeeds: () => ({}),
  getNodeInfo: () => ({}),
  getGeneralAPISettings: () => ({}),
  getGeneralAttachmentSettings: () => ({}),
  getGeneralRepositorySettings: () => ({}),
  getGeneralUISettings: () => ({}),
  getSigningKey: () => ({ status: 404 }),
  getSigningKeySSH: () => ({ status: 404 }),
  listGitignoresTemplates: () => ({}),
  getGitignoreTemplateInfo: () => ({ path: { name: "Node" } }),
  listLabelTemplates: () => ({}),
  getLabelTemplateInfo: () => ({ path: { name: "Default" } }),
  listLicenseTemplates: () => ({}),
  getLicenseTemplateInfo: () => ({ path: { name: "MIT" } }),
}
