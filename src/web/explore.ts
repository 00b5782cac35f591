import type { Html } from "../core/html.ts"
import { tabs } from "./components.ts"

/** The tabs of what can be explored: pages of several features. */
export const exploreTabs = (current: "repos" | "users" | "organizations" | "code"): Html =>
  tabs("Explore", [
    { href: "/explore/repos", text: "Repositories", icon: "repo", current: current === "repos" },
    { href: "/explore/users", text: "People", icon: "people", current: current === "users" },
    { href: "/explore/organizations", text: "Organizations", icon: "organization", current: current === "organizations" },
    { href: "/explore/code", text: "Code", icon: "code", current: current === "code" },
  ])
