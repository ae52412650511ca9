import { defineConfig } from 'vite';

/** The facade serves it with `default-src 'self'`: nothing inline, no data: URLs, every file under a hashed name. */
export default defineConfig({
  base: '/console/',
  // A build is one for operators, whatever NODE_ENV its caller runs under.
  define: { 'process.env.NODE_ENV': '"production"' },
  oxc: { jsx: { runtime: 'automatic', development: false } },
  build: {
    outDir: '../../dist/apps/console',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    target: 'es2022',
    reportCompressedSize: false,
    rolldownOptions: {
      // Libraries mark what a server must not render; there is no server here.
      onwarn: (warning, warn) => warning.code !== 'MODULE_LEVEL_DIRECTIVE' && warn(warning),
    },
  },
});
