import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The facade serves it with `default-src 'self'`: nothing inline, no data: URLs, every file under a hashed name. */
export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [react()],
  build: {
    outDir: '../../dist/apps/console',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    target: 'es2022',
    reportCompressedSize: false,
  },
});
