/** The context that the secret of an import is encrypted for. */
export const importSecretContext = (id: number): string => `import ${id}`
