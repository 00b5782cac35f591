import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { World } from "../support/world.ts"
import type { Examples } from "./example.ts"

/** An empty bare repository in the import folder. */
async function unadopted(world: World): Promise<{ readonly owner: string; readonly repo: string }> {
  const [owner, repo] = [(await world.person()).name, world.unique("found")]
  const folder = join(world.hearth.services.config.repository.importDir, owner, `${repo}.git`)
  for (const each of ["objects", "refs"]) await mkdir(join(folder, each), { recursive: true })
  await writeFile(join(folder, "HEAD"), "ref: refs/heads/main\n")
  return { owner, repo }
}

/** One that is over, and so on no page. */
const OVER = { content: "We **water** the plants on Sunday.", ends_at: "2001-01-01T00:00:00Z" }

/** The only announcement: there can be but a few. */
async function announcement(world: World): Promise<{ readonly id: number }> {
  const { database, announcements, now } = world.hearth.services
  const id = await database.write(async (tx) => {
    await tx.deleteFrom("announcements").execute()
    const row = {
      content: OVER.content,
      tone: "info",
      audience: "everybody",
      starts_at: 0,
      ends_at: 1,
      created_at: now(),
      updated_at: now(),
    } as const
    return (await tx.insertInto("announcements").values(row).returning("id").executeTakeFirstOrThrow()).id
  })
  await announcements.reload()
  return { id }
}

/** Operations of the site as a whole. */
export const siteExamples: Examples = {
  getVersion: () => ({}),
  explainRequest: () => ({ query: { path: "/api/v1/admin/cron" } }),
  adminCronList: () => ({}),
  adminCronRun: () => ({ path: { task: "check_repo_stats" } }),
  adminListDeeds: () => ({}),
  adminInvite: () => ({ body: { email: "guest@example.com" }, status: 403 }),
  adminSendTestMail: () => ({ body: { email: "guest@example.com" }, status: 400 }),
  adminListAnnouncements: async (world) => {
    await announcement(world)
    return {}
  },
  adminCreateAnnouncement: () => ({ body: OVER }),
  adminEditAnnouncement: async (world) => ({ path: await announcement(world), body: { tone: "warn" } }),
  adminDeleteAnnouncement: async (world) => ({ path: await announcement(world) }),
  adminUnadoptedList: async (world, size) => {
    for (let count = 0; count < size; count++) await unadopted(world)
    return {}
  },
  adminAdoptRepository: async (world) => ({ path: await unadopted(world) }),
  adminDeleteUnadoptedRepository: async (world) => ({ path: await unadopted(world) }),
  getNodeInfo: () => ({}),
  listEvents: () => ({}),
  runBatch: () => ({
    body: {
      operations: [
        { method: "GET", path: "/version" },
        { method: "GET", path: "/users/nobody-$0.version" },
      ],
    },
  }),
  renderMarkdown: () => ({ body: { Text: "# Tea" } }),
  renderMarkdownRaw: () => ({ body: "# Tea" }),
  renderMarkup: () => ({ body: { Text: "# Tea", Mode: "file", FilePath: "README.md" } }),
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
