// Loaded when the engine is first needed: of adaosctl's commands only a few decide anything.
export const cedar = (await import('@cedar-policy/cedar-wasm/nodejs')).default;
