{{/*
The PodSpec of a process. Takes `root` and what differs: `args`; `isNode`: it is one of several, with a disk of its own;
`isWorker`: it answers no calls; `drain`: seconds for which it goes on answering after SIGTERM.
*/}}
{{- define "groundwatch.pod" -}}
{{- $isWorker := .isWorker }}
{{- $isNode := .isNode }}
{{- $drain := .drain | int }}
{{- with .root -}}
automountServiceAccountToken: false
enableServiceLinks: false
terminationGracePeriodSeconds: {{ add 60 $drain }}
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile:
    type: RuntimeDefault
containers:
  - name: groundwatch
    image: "{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}"
    imagePullPolicy: {{ .Values.image.pullPolicy }}
    args: {{ toJson $.args }}
    securityContext:
      allowPrivilegeEscalation: false
      readOnlyRootFilesystem: true
      capabilities:
        drop: [ALL]
    env:
      - name: GROUNDWATCH_DATA
        value: /data/groundwatch
      {{- with .Values.baseUrl }}
      - name: GROUNDWATCH_BASE_URL
        value: {{ . | quote }}
      {{- end }}
      {{- if $isNode }}
      # The simulated region needs a folder that the nodes share.
      - name: GROUNDWATCH_SANDBOX
        value: 'off'
      - name: GROUNDWATCH_OBJECTS_CACHE
        value: {{ .Values.nodes.cacheGigabytes | quote }}
      - name: GROUNDWATCH_WORKER_PORT
        value: '9464'
      - name: GROUNDWATCH_DRAIN
        value: {{ $drain | quote }}
      {{- end }}
      - name: DATABASE_URL
        valueFrom:
          secretKeyRef:
            {{- toYaml .Values.secrets.database | nindent 12 }}
      - name: GROUNDWATCH_SECRET_KEY
        valueFrom:
          secretKeyRef:
            {{- toYaml .Values.secrets.secretKey | nindent 12 }}
      {{- if .Values.secrets.tls }}
      - name: GROUNDWATCH_TLS_CERT
        value: /tls/tls.crt
      - name: GROUNDWATCH_TLS_KEY
        value: /tls/tls.key
      {{- end }}
      {{- range $name, $value := .Values.settings }}
      - name: {{ $name }}
        value: {{ $value | quote }}
      {{- end }}
      {{- range $name, $reference := .Values.secretSettings }}
      - name: {{ $name }}
        valueFrom:
          secretKeyRef:
            {{- toYaml $reference | nindent 12 }}
      {{- end }}
    ports:
      {{- if not $isWorker }}
      - name: https
        containerPort: 8443
      {{- end }}
      {{- if $isNode }}
      - name: metrics
        containerPort: 9464
      {{- end }}
    # The first start makes the layers and migrates the database.
    startupProbe:
      httpGet:
        path: /healthz
        {{- include "groundwatch.probed" $ | nindent 8 }}
      periodSeconds: 5
      failureThreshold: 60
    livenessProbe:
      httpGet:
        path: /healthz
        {{- include "groundwatch.probed" $ | nindent 8 }}
      periodSeconds: 15
      timeoutSeconds: 5
    readinessProbe:
      httpGet:
        path: /readyz
        {{- include "groundwatch.probed" $ | nindent 8 }}
      periodSeconds: 5
      timeoutSeconds: 5
    resources:
      {{- toYaml .Values.resources | nindent 6 }}
    volumeMounts:
      - name: data
        mountPath: /data
      - name: tmp
        mountPath: /tmp
      {{- if .Values.secrets.tls }}
      - name: tls
        mountPath: /tls
        readOnly: true
      {{- end }}
volumes:
  - name: data
    {{- if $isNode }}
    emptyDir:
      sizeLimit: {{ .Values.nodes.disk }}
    {{- else }}
    persistentVolumeClaim:
      claimName: {{ .Values.storage.existingClaim | default (include "groundwatch.name" .) }}
    {{- end }}
  - name: tmp
    emptyDir: {}
  {{- if .Values.secrets.tls }}
  - name: tls
    secret:
      secretName: {{ .Values.secrets.tls }}
      defaultMode: 0440
  {{- end }}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
{{- end }}

{{/* Where a pod tells its health: a worker has no HTTPS. */}}
{{- define "groundwatch.probed" -}}
{{- if .isWorker -}}
port: metrics
{{- else -}}
port: https
scheme: HTTPS
{{- end }}
{{- end }}
