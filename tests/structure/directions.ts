/** Which parts of the source may import which: each itself, and those listed. Everything else is refused by `npm run check`. */

/** The parts of the program, by folder below src; files at the root name features and are "root". */
export const PARTS: Readonly<Record<string, readonly string[]>> = {
  seams: [],
  git: ["seams"],
  core: ["git", "seams"],
  web: ["core"],
  access: ["core", "git"],
  features: ["access", "core", "git"],
  pages: ["features", "access", "core", "git", "web"],
  servers: ["features", "access", "core", "git", "web"],
  supervisor: ["core"],
  demo: ["root", "servers", "features", "access", "core", "git", "web"],
  command: ["root", "supervisor", "demo", "servers", "features", "access", "core", "git", "web"],
  root: ["command", "demo", "servers", "pages", "features", "access", "core", "git", "web"],
}

/** The groups of features, each allowed to import those before it. */
export const GROUPS: readonly string[] = ["people", "code", "planning", "review", "packages", "actions", "events", "site"]

/** What makes pages: features know nothing of it. */
export const OF_PAGES: readonly string[] = ["core/html.ts", "core/page.ts", "core/forms/"]

/** Files of features that make HTML all the same, with the reason. */
export const MAKES_HTML: Readonly<Record<string, string>> = {
  "features/site/announcements/shown.ts": "announcements are rendered once, and kept in memory for all pages",
}

/** What to do instead, shown with each refusal. */
export const INSTEAD =
  "Publish an event and listen to it (src/core/events, src/listeners.ts), ask through an extension point (src/core/extensions.ts, src/extensions.ts), or move what is shared down."
