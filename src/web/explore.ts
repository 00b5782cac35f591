import type { Html } from "../core/html.ts"
import { t } from "../core/language/message.ts"
import { tabs } from "./components.ts"

/** The tabs of what can be explored: pages of several features. */
export const exploreTabs = (current: "repos" | "users" | "organizations" | "code"): Html =>
  tabs(t("Explore"), [
    { href: "/explore/repos", text: t("Repositories"), icon: "repo", current: current === "repos" },
    { href: "/explore/users", text: t("People"), icon: "people", current: current === "users" },
    { href: "/explore/organizations", text: t("Organizations"), icon: "organization", current: current === "organizations" },
    { href: "/explore/code", text: t("Code"), icon: "code", current: current === "code" },
  ])
