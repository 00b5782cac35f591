import { hash } from "node:crypto"
import type { User } from "./actor.ts"

/** The path of the avatar: an uploaded image by its digest, otherwise one generated from a digest of the id. */
export const avatarPath = ({ id, avatar }: Pick<User, "id" | "avatar">): string => `/avatars/${avatar || drawnFrom(id)}`

/** Half a digest: the length of the name distinguishes generated from uploaded images. */
const drawnFrom = (id: number): string => hash("sha256", `user ${id}`).slice(0, 32)
